"""The tasks of `petstore grade`, for any HTTP library of Python."""

import json
import os
import sys
import uuid
from urllib.parse import urljoin, urlsplit

URL, KEY, TASK = (os.environ[f"PETSTORE_{name}"] for name in ("URL", "KEY", "TASK"))

MOST_READS = 3


def run_task(send):
    """`send(method, url, headers, body)` returns status, headers and text of any reply, including errors."""
    try:
        if TASK == "get-one":
            show(call(send, "GET", f"{URL}/pets/{os.environ['PETSTORE_PET_ID']}")[0])
        elif TASK == "list-all":
            list_all(send)
        elif TASK == "update-one":
            update(send)
        elif TASK in ("create-one", "create-many"):
            count = int(os.environ["PETSTORE_COUNT"]) if TASK == "create-many" else 1
            pet = {"name": "Rex", "categoryId": int(os.environ["PETSTORE_CATEGORY_ID"])}
            for _ in range(count):
                show(call(send, "POST", f"{URL}/pets", json.dumps(pet))[0])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")


def list_all(send):
    query = "limit=100"
    while query:
        pets, headers = call(send, "GET", f"{URL}/pets?{query}")
        for pet in pets:
            show(pet)
        links = [link for link in headers.get("Link", "").split(",") if 'rel="next"' in link]
        # Only the query is used, so that the key is sent only to its own host.
        query = urlsplit(urljoin(URL, links[0].split(">")[0].strip(" <"))).query if links else ""


def update(send):
    """A change that does not overwrite the change of somebody else: on 412, the animal is read again."""
    url = f"{URL}/pets/{os.environ['PETSTORE_PET_ID']}"
    change = json.dumps({"status": os.environ["PETSTORE_STATUS"]})
    for reads in range(1, MOST_READS + 1):
        tag = call(send, "GET", url)[1]["ETag"]
        try:
            return show(call(send, "PATCH", url, change, {"If-Match": tag})[0])
        except Refusal as refusal:
            if refusal.status != 412 or reads == MOST_READS:
                raise


class Refusal(Exception):
    def __init__(self, status, text, request_id):
        super().__init__(f"{status} {text}, request {request_id}")
        self.status = status


def call(send, method, url, body=None, more=None):
    headers = {"Authorization": f"Bearer {KEY}", "Accept": "application/json", **(more or {})}
    if body:
        headers["Content-Type"] = "application/json"
    if method == "POST":
        headers["Idempotency-Key"] = str(uuid.uuid4())
    status, reply_headers, text = send(method, url, headers, body)
    if reply_headers.get("Deprecation"):
        print("This operation is deprecated.", file=sys.stderr)
    if status not in (200, 201):
        raise Refusal(status, text, reply_headers.get("X-Request-Id"))
    return json.loads(text), reply_headers


def show(pet):
    print(pet["id"])
