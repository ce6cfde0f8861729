"""Calls the service with the clients that openapi-python-client generated, and prints the results."""

import os
import re

import messages
import pets
from messages.api.quickstart import send_message
from messages.models import Message, MessageInput
from pets.api.pets import create_pet, delete_pet, get_pet, list_pets, update_pet
from pets.models import Error, KnownErrorCode, NewPet, Pet, PetPatch, PetStatus
from pets.types import UNSET


def pets_client(key: str) -> pets.AuthenticatedClient:
    return pets.AuthenticatedClient(base_url=os.environ["PETS_URL"], token=key)


client = pets_client(os.environ["API_KEY"])

biscuit = create_pet.sync(client=client, body=NewPet(name="Biscuit", category_id=7))
assert isinstance(biscuit, Pet)
print("created:", biscuit.id, biscuit.name, biscuit.category_id, biscuit.status.value)
create_pet.sync(
    client=client,
    body=NewPet(name="Pebble", category_id=9007199254740993, status=PetStatus.SOLD),
)
create_pet.sync(client=client, body=NewPet(name="Rex", category_id=1), idempotency_key="rex")

after, pages = UNSET, []
while True:
    page = list_pets.sync_detailed(client=client, limit=2, after=after)
    assert isinstance(page.parsed, list)
    pages.append(",".join(str(pet.id) for pet in page.parsed))
    following = re.search(r'[?&]after=(\d+).*rel="next"', page.headers.get("Link", ""))
    if following is None:
        break
    after = int(following[1])
print("pages:", *pages)

sold = list_pets.sync(client=client, status=PetStatus.SOLD)
assert isinstance(sold, list)
print("filtered:", *(pet.id for pet in sold))
print("integer:", sold[0].category_id)
fetched = get_pet.sync_detailed(client=client, pet_id=biscuit.id)
assert isinstance(fetched.parsed, Pet)
print("fetched:", fetched.parsed.name)

change = {"body": PetPatch(status=PetStatus.SOLD), "if_match": fetched.headers["ETag"]}
changed = update_pet.sync(client=client, pet_id=biscuit.id, **change)
assert isinstance(changed, Pet)
print("changed:", changed.id, changed.name, changed.status.value)
stale = update_pet.sync_detailed(client=client, pet_id=biscuit.id, **change)
assert isinstance(stale.parsed, Error)
assert stale.parsed.code == KnownErrorCode.PRECONDITION_FAILED
print("stale:", stale.status_code.value, stale.parsed.code)
print("deleted:", delete_pet.sync_detailed(client=client, pet_id=3).status_code.value)

sender = messages.AuthenticatedClient(
    base_url=os.environ["MESSAGES_URL"], token=os.environ["API_KEY"]
)
sent = send_message.sync(client=sender, body=MessageInput(message="Hello, petstore!"))
assert isinstance(sent, Message)
print("sent:", sent.status)

refused = list_pets.sync_detailed(client=pets_client("unknown"))
assert isinstance(refused.parsed, Error)
assert refused.parsed.code == KnownErrorCode.INVALID_API_KEY
print("unauthorized:", refused.status_code.value, refused.parsed.code)

missing = get_pet.sync_detailed(client=client, pet_id=999)
assert isinstance(missing.parsed, Error)
assert missing.parsed.code == KnownErrorCode.PET_NOT_FOUND
print("missing:", missing.status_code.value, missing.parsed.code)

limited_client = pets_client(os.environ["LIMITED_KEY"])
list_pets.sync(client=limited_client)
limited = list_pets.sync_detailed(client=limited_client)
assert isinstance(limited.parsed, Error)
assert limited.parsed.code == KnownErrorCode.RATE_LIMITED
print(
    "limited:", limited.status_code.value, limited.parsed.code, limited.headers["Retry-After"]
)
