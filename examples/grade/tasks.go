// The tasks of `petstore grade`, for any HTTP library of Go.
package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
)

// Any reply, including errors.
type reply struct {
	status  int
	headers http.Header
	text    []byte
}

type refusal struct {
	status  int
	message string
}

func (refused *refusal) Error() string { return refused.message }

const mostReads = 3

type sender func(method, address string, headers map[string]string, body []byte) (*reply, error)

type pet struct {
	ID int64 `json:"id"`
}

var (
	pets = os.Getenv("PETSTORE_URL") + "/pets"
	next = regexp.MustCompile(`<([^>]*)>; *rel="next"`)
)

func runTask(send sender) {
	if err := doTask(send); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func doTask(send sender) error {
	switch os.Getenv("PETSTORE_TASK") {
	case "get-one":
		return one(send, http.MethodGet, pets+"/"+os.Getenv("PETSTORE_PET_ID"), nil)
	case "list-all":
		return list(send)
	case "create-one":
		return create(send, 1)
	case "create-many":
		count, _ := strconv.Atoi(os.Getenv("PETSTORE_COUNT"))
		return create(send, count)
	case "update-one":
		return update(send)
	}
	return errors.New("this client does not know the task")
}

// A change that does not overwrite the change of somebody else: on 412, the animal is read again.
func update(send sender) error {
	address := pets + "/" + os.Getenv("PETSTORE_PET_ID")
	body := fmt.Sprintf(`{"status":"%s"}`, os.Getenv("PETSTORE_STATUS"))
	for reads := 1; ; reads++ {
		var found pet
		headers, err := call(send, http.MethodGet, address, nil, nil, &found)
		if err != nil {
			return err
		}
		tag := map[string]string{"If-Match": headers.Get("ETag")}
		_, err = call(send, http.MethodPatch, address, tag, []byte(body), &found)
		if err == nil {
			fmt.Println(found.ID)
		}
		var refused *refusal
		if err == nil || reads == mostReads || !errors.As(err, &refused) || refused.status != 412 {
			return err
		}
	}
}

func create(send sender, count int) error {
	for range count {
		body := fmt.Sprintf(`{"name":"Rex","categoryId":%s}`, os.Getenv("PETSTORE_CATEGORY_ID"))
		if err := one(send, http.MethodPost, pets, []byte(body)); err != nil {
			return err
		}
	}
	return nil
}

func one(send sender, method, address string, body []byte) error {
	var found pet
	_, err := call(send, method, address, nil, body, &found)
	if err == nil {
		fmt.Println(found.ID)
	}
	return err
}

func list(send sender) error {
	for query := "limit=100"; query != ""; {
		var page []pet
		headers, err := call(send, http.MethodGet, pets+"?"+query, nil, nil, &page)
		if err != nil {
			return err
		}
		for _, each := range page {
			fmt.Println(each.ID)
		}
		query = ""
		if link := next.FindStringSubmatch(headers.Get("Link")); link != nil {
			target, err := url.Parse(link[1])
			if err != nil {
				return err
			}
			// Only the query is used, so that the key is sent only to its own host.
			query = target.RawQuery
		}
	}
	return nil
}

func call(
	send sender, method, address string, more map[string]string, body []byte, into any,
) (http.Header, error) {
	headers := map[string]string{"Authorization": "Bearer " + os.Getenv("PETSTORE_KEY")}
	maps.Copy(headers, more)
	if body != nil {
		headers["Content-Type"] = "application/json"
	}
	if method == http.MethodPost {
		headers["Idempotency-Key"] = rand.Text()
	}
	got, err := send(method, address, headers, body)
	if err != nil {
		return nil, err
	}
	if got.headers.Get("Deprecation") != "" {
		fmt.Fprintln(os.Stderr, "This operation is deprecated.")
	}
	if got.status >= 300 {
		id := got.headers.Get("X-Request-Id")
		return nil, &refusal{got.status, fmt.Sprintf("%d %s, request %s", got.status, got.text, id)}
	}
	return got.headers, json.Unmarshal(got.text, into)
}
