package main

import (
	"bytes"
	"io"

	"github.com/hashicorp/go-retryablehttp"
)

var client = retryablehttp.NewClient()

func main() {
	client.Logger = nil
	client.RetryMax = 3
	client.ErrorHandler = retryablehttp.PassthroughErrorHandler
	runTask(send)
}

func send(method, address string, headers map[string]string, body []byte) (*reply, error) {
	request, err := retryablehttp.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	got, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	return &reply{got.StatusCode, got.Header, text}, err
}
