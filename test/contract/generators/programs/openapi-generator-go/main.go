// Calls the service with the clients that openapi-generator generated, and prints the results.
package main

import (
	"context"
	"errors"
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

// The clients use the address of the document's server.
func petsAPI(key string) *pets.PetsAPIService {
	configuration := pets.NewConfiguration()
	configuration.AddDefaultHeader("Authorization", "Bearer "+key)
	return pets.NewAPIClient(configuration).PetsAPI
}

func main() {
	ctx := context.Background()
	api := petsAPI(os.Getenv("API_KEY"))

	biscuit := create(api.CreatePet(ctx).PetInput(*pets.NewPetInput("Biscuit", 7)))
	fmt.Println("created:", biscuit.Id, biscuit.Name, biscuit.CategoryId, biscuit.Status)
	pebble := pets.NewPetInput("Pebble", 9007199254740993)
	pebble.SetStatus(pets.SOLD)
	create(api.CreatePet(ctx).PetInput(*pebble))
	create(api.CreatePet(ctx).PetInput(*pets.NewPetInput("Rex", 1)).IdempotencyKey("rex"))

	fmt.Println("pages:", strings.Join(pages(ctx, api), " "))

	sold, _, err := api.ListPets(ctx).Status(pets.SOLD).Execute()
	check(err)
	fmt.Println("filtered:", ids(sold))
	fmt.Println("integer:", sold[0].CategoryId)
	fetched, tagged, err := api.GetPet(ctx, biscuit.Id).Execute()
	check(err)
	fmt.Println("fetched:", fetched.Name)

	patch := pets.PetPatch{Status: pets.SOLD.Ptr()}
	change := api.UpdatePet(ctx, biscuit.Id).PetPatch(patch).IfMatch(tagged.Header.Get("ETag"))
	changed, _, err := change.Execute()
	check(err)
	fmt.Println("changed:", changed.Id, changed.Name, changed.Status)
	_, reply, err := change.Execute()
	fmt.Println("stale:", reply.StatusCode, expect(err, pets.PRECONDITION_FAILED))
	reply, err = api.DeletePet(ctx, 3).Execute()
	check(err)
	fmt.Println("deleted:", reply.StatusCode)

	configuration := messages.NewConfiguration()
	configuration.AddDefaultHeader("Authorization", "Bearer "+os.Getenv("API_KEY"))
	sender := messages.NewAPIClient(configuration).QuickstartAPI
	sent, _, err := sender.SendMessage(ctx).MessageInput(*messages.NewMessageInput("Hello, petstore!")).Execute()
	check(err)
	fmt.Println("sent:", sent.Status)

	_, reply, err = petsAPI("unknown").ListPets(ctx).Execute()
	fmt.Println("unauthorized:", reply.StatusCode, expect(err, pets.INVALID_API_KEY))
	_, reply, err = api.GetPet(ctx, 999).Execute()
	fmt.Println("missing:", reply.StatusCode, expect(err, pets.PET_NOT_FOUND))

	limited := petsAPI(os.Getenv("LIMITED_KEY"))
	_, _, err = limited.ListPets(ctx).Execute()
	check(err)
	_, reply, err = limited.ListPets(ctx).Execute()
	fmt.Println("limited:", reply.StatusCode, expect(err, pets.RATE_LIMITED), reply.Header.Get("Retry-After"))
}

func create(request pets.ApiCreatePetRequest) *pets.Pet {
	pet, reply, err := request.Execute()
	check(err)
	if reply.StatusCode != http.StatusCreated {
		panic(reply.Status)
	}
	return pet
}

func pages(ctx context.Context, api *pets.PetsAPIService) []string {
	var found []string
	request := api.ListPets(ctx).Limit(2)
	for {
		page, reply, err := request.Execute()
		check(err)
		found = append(found, ids(page))
		following := next.FindStringSubmatch(reply.Header.Get("Link"))
		if following == nil {
			return found
		}
		after, err := strconv.ParseInt(following[1], 10, 64)
		check(err)
		request = request.After(after)
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
func expect(err error, code pets.KnownErrorCode) string {
	var failure *pets.GenericOpenAPIError
	if !errors.As(err, &failure) {
		panic(fmt.Sprint("not an error of the API: ", err))
	}
	body, isError := failure.Model().(pets.Error)
	if !isError || body.Code != string(code) {
		panic(fmt.Sprint("another error: ", failure.Model()))
	}
	return body.Code
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
