// Calls the service with the clients that oapi-codegen generated, and prints the results.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"

	"scenario/messages"
	"scenario/pets"
)

var next = regexp.MustCompile(`[?&]after=(\d+).*rel="next"`)

func petsClient(key string) *pets.ClientWithResponses {
	client, err := pets.NewClientWithResponses(os.Getenv("PETS_URL"), pets.WithRequestEditorFn(bearer(key)))
	check(err)
	return client
}

func bearer(key string) func(context.Context, *http.Request) error {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
}

func main() {
	ctx := context.Background()
	client := petsClient(os.Getenv("API_KEY"))
	sold, rex := pets.Sold, "rex"

	biscuit := create(ctx, client, pets.CreatePetParams{}, pets.NewPet{Name: "Biscuit", CategoryId: 7})
	fmt.Println("created:", biscuit.Id, biscuit.Name, biscuit.CategoryId, biscuit.Status)
	create(ctx, client, pets.CreatePetParams{}, pets.NewPet{Name: "Pebble", CategoryId: 9007199254740993, Status: &sold})
	create(ctx, client, pets.CreatePetParams{IdempotencyKey: &rex}, pets.NewPet{Name: "Rex", CategoryId: 1})

	fmt.Println("pages:", strings.Join(pages(ctx, client), " "))

	filtered, err := client.ListPetsWithResponse(ctx, &pets.ListPetsParams{Status: &sold})
	check(err)
	fmt.Println("filtered:", ids(*filtered.JSON200))
	fmt.Println("integer:", (*filtered.JSON200)[0].CategoryId)
	fetched, err := client.GetPetWithResponse(ctx, biscuit.Id, nil)
	check(err)
	fmt.Println("fetched:", fetched.JSON200.Name)

	tag := fetched.HTTPResponse.Header.Get("ETag")
	change := func() *pets.UpdatePetResponse {
		parameters, patch := pets.UpdatePetParams{IfMatch: &tag}, pets.PetPatch{Status: &sold}
		reply, err := client.UpdatePetWithResponse(ctx, biscuit.Id, &parameters, patch)
		check(err)
		return reply
	}
	changed := change().JSON200
	fmt.Println("changed:", changed.Id, changed.Name, changed.Status)
	stale := change()
	fmt.Println("stale:", stale.StatusCode(), expect(stale.JSON412, pets.PreconditionFailed))
	deletion, err := client.DeletePetWithResponse(ctx, 3, nil)
	check(err)
	fmt.Println("deleted:", deletion.StatusCode())

	sender, err := messages.NewClientWithResponses(
		os.Getenv("MESSAGES_URL"), messages.WithRequestEditorFn(bearer(os.Getenv("API_KEY"))))
	check(err)
	sent, err := sender.SendMessageWithResponse(
		ctx, &messages.SendMessageParams{}, messages.MessageInput{Message: "Hello, petstore!"})
	check(err)
	fmt.Println("sent:", sent.JSON202.Status)

	refused, err := petsClient("unknown").ListPetsWithResponse(ctx, nil)
	check(err)
	fmt.Println("unauthorized:", refused.StatusCode(), expect(refused.JSON401, pets.InvalidApiKey))
	missing, err := client.GetPetWithResponse(ctx, 999, nil)
	check(err)
	fmt.Println("missing:", missing.StatusCode(), expect(missing.JSON404, pets.PetNotFound))

	limitedClient := petsClient(os.Getenv("LIMITED_KEY"))
	_, err = limitedClient.ListPetsWithResponse(ctx, nil)
	check(err)
	limited, err := limitedClient.ListPetsWithResponse(ctx, nil)
	check(err)
	fmt.Println(
		"limited:", limited.StatusCode(), expect(limited.JSON429, pets.RateLimited), limited.Headers429.RetryAfter)
}

func create(ctx context.Context, client *pets.ClientWithResponses, parameters pets.CreatePetParams, pet pets.NewPet) *pets.Pet {
	reply, err := client.CreatePetWithResponse(ctx, &parameters, pet)
	check(err)
	if reply.JSON201 == nil {
		panic(reply.Status())
	}
	return reply.JSON201
}

func pages(ctx context.Context, client *pets.ClientWithResponses) []string {
	var found []string
	limit := 2
	parameters := pets.ListPetsParams{Limit: &limit}
	for {
		page, err := client.ListPetsWithResponse(ctx, &parameters)
		check(err)
		found = append(found, ids(*page.JSON200))
		if page.Headers200.Link == nil {
			return found
		}
		following := next.FindStringSubmatch(*page.Headers200.Link)
		after, err := strconv.ParseInt(following[1], 10, 64)
		check(err)
		parameters.After = &after
	}
}

func ids(page []pets.Pet) string {
	var found []string
	for _, pet := range page {
		found = append(found, strconv.FormatInt(pet.Id, 10))
	}
	return strings.Join(found, ",")
}

// expect returns the code of an error, which must be this one.
func expect(body *pets.Error, code pets.KnownErrorCode) string {
	if body == nil || body.Code != string(code) {
		panic(fmt.Sprint("another error: ", body))
	}
	return body.Code
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
