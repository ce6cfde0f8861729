"""Calls the service with the clients that openapi-generator generated, and prints the results."""

import os
import re

import messages
import pets
from pets import ApiException, KnownErrorCode, NewPet, PetPatch, PetStatus
from pets.exceptions import NotFoundException, UnauthorizedException


def pets_api(key: str) -> pets.PetsApi:
    """Uses the address of the document's server. Without retries a 429 is an error immediately."""
    return pets.PetsApi(pets.ApiClient(pets.Configuration(access_token=key, retries=False)))


def code_of(error: ApiException) -> KnownErrorCode | str:
    return error.data.code


api = pets_api(os.environ["API_KEY"])

biscuit = api.create_pet(NewPet(name="Biscuit", categoryId=7))
print("created:", biscuit.id, biscuit.name, biscuit.category_id, biscuit.status.value)
api.create_pet(NewPet(name="Pebble", categoryId=9007199254740993, status=PetStatus.SOLD))
api.create_pet(NewPet(name="Rex", categoryId=1), idempotency_key="rex")

after, pages = None, []
while True:
    page = api.list_pets_with_http_info(limit=2, after=after)
    pages.append(",".join(str(pet.id) for pet in page.data))
    following = re.search(r'[?&]after=(\d+).*rel="next"', page.headers.get("Link", ""))
    if following is None:
        break
    after = int(following[1])
print("pages:", *pages)

sold = api.list_pets(status=PetStatus.SOLD)
print("filtered:", *(pet.id for pet in sold))
print("integer:", sold[0].category_id)
fetched = api.get_pet_with_http_info(biscuit.id)
print("fetched:", fetched.data.name)

tag, sold_status = fetched.headers["ETag"], PetPatch(status=PetStatus.SOLD)
changed = api.update_pet(biscuit.id, sold_status, if_match=tag)
print("changed:", changed.id, changed.name, changed.status.value)
try:
    api.update_pet(biscuit.id, sold_status, if_match=tag)
except ApiException as error:
    assert code_of(error) == KnownErrorCode.PRECONDITION_FAILED
    print("stale:", error.status, error.data.code)
print("deleted:", api.delete_pet_with_http_info(3).status_code)

configuration = messages.Configuration(access_token=os.environ["API_KEY"])
sender = messages.QuickstartApi(messages.ApiClient(configuration))
print("sent:", sender.send_message(messages.MessageInput(message="Hello, petstore!")).status)

try:
    pets_api("unknown").list_pets()
except UnauthorizedException as error:
    assert code_of(error) == KnownErrorCode.INVALID_API_KEY
    print("unauthorized:", error.status, error.data.code)

try:
    api.get_pet(999)
except NotFoundException as error:
    assert code_of(error) == KnownErrorCode.PET_NOT_FOUND
    print("missing:", error.status, error.data.code)

limited = pets_api(os.environ["LIMITED_KEY"])
limited.list_pets()
try:
    limited.list_pets()
except ApiException as error:
    assert code_of(error) == KnownErrorCode.RATE_LIMITED
    print("limited:", error.status, error.data.code, error.headers["Retry-After"])
