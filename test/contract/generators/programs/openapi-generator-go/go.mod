module scenario

go 1.23
