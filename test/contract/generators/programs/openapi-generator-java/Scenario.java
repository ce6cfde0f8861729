import java.util.List;
import java.util.ArrayList;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import messages.api.QuickstartApi;
import messages.model.MessageInput;
import pets.ApiClient;
import pets.ApiException;
import pets.ApiResponse;
import pets.api.PetsApi;
import pets.model.Error;
import pets.model.KnownErrorCode;
import pets.model.NewPet;
import pets.model.Pet;
import pets.model.PetPatch;
import pets.model.PetStatus;

/** Calls the service with the clients that openapi-generator generated, and prints the results. */
public final class Scenario {
    private static final Pattern NEXT = Pattern.compile("[?&]after=(\\d+).*rel=\"next\"");

    private interface Request {
        void send() throws ApiException;
    }

    public static void main(String[] arguments) throws Exception {
        PetsApi api = petsApi(System.getenv("API_KEY"));

        Pet biscuit = api.createPet(new NewPet().name("Biscuit").categoryId(7L), null);
        System.out.printf("created: %d %s %d %s%n",
            biscuit.getId(), biscuit.getName(), biscuit.getCategoryId(), biscuit.getStatus());
        NewPet pebble = new NewPet().name("Pebble").categoryId(9007199254740993L);
        api.createPet(pebble.status(PetStatus.SOLD), null);
        api.createPet(new NewPet().name("Rex").categoryId(1L), "rex");

        System.out.println("pages: " + String.join(" ", pages(api)));

        List<Pet> sold = api.listPets(null, PetStatus.SOLD, null, null);
        System.out.println("filtered: " + ids(sold));
        System.out.println("integer: " + sold.get(0).getCategoryId());
        ApiResponse<Pet> fetched = api.getPetWithHttpInfo(biscuit.getId(), null);
        System.out.println("fetched: " + fetched.getData().getName());

        String tag = header(fetched.getHeaders(), "ETag");
        PetPatch patch = new PetPatch().status(PetStatus.SOLD);
        Pet changed = api.updatePet(biscuit.getId(), patch, tag, null);
        System.out.printf("changed: %d %s %s%n", changed.getId(), changed.getName(), changed.getStatus());
        ApiException stale = failure(
            () -> api.updatePet(biscuit.getId(), patch, tag, null), KnownErrorCode.PRECONDITION_FAILED);
        System.out.println("stale: " + stale.getCode() + " " + code(stale));
        System.out.println("deleted: " + api.deletePetWithHttpInfo(3L, null, null).getStatusCode());

        messages.ApiClient sender = new messages.ApiClient();
        sender.setBearerToken(System.getenv("API_KEY"));
        MessageInput hello = new MessageInput().message("Hello, petstore!");
        System.out.println("sent: " + new QuickstartApi(sender).sendMessage(hello, null).getStatus());

        ApiException refused = failure(
            () -> petsApi("unknown").listPets(null, null, null, null), KnownErrorCode.INVALID_API_KEY);
        System.out.println("unauthorized: " + refused.getCode() + " " + code(refused));
        ApiException missing = failure(() -> api.getPet(999L, null), KnownErrorCode.PET_NOT_FOUND);
        System.out.println("missing: " + missing.getCode() + " " + code(missing));

        PetsApi limited = petsApi(System.getenv("LIMITED_KEY"));
        limited.listPets(null, null, null, null);
        ApiException tooMany = failure(
            () -> limited.listPets(null, null, null, null), KnownErrorCode.RATE_LIMITED);
        System.out.println("limited: " + tooMany.getCode() + " " + code(tooMany) + " "
            + header(tooMany.getResponseHeaders(), "Retry-After"));
    }

    /** The client uses the address of the document's server. */
    private static PetsApi petsApi(String key) {
        ApiClient client = new ApiClient();
        client.setBearerToken(key);
        return new PetsApi(client);
    }

    private static List<String> pages(PetsApi api) throws ApiException {
        List<String> found = new ArrayList<>();
        Long after = null;
        while (true) {
            ApiResponse<List<Pet>> page = api.listPetsWithHttpInfo(2, null, after, null);
            found.add(ids(page.getData()));
            Matcher next = NEXT.matcher(header(page.getHeaders(), "Link"));
            if (!next.find()) return found;
            after = Long.valueOf(next.group(1));
        }
    }

    private static String ids(List<Pet> page) {
        return page.stream().map(pet -> String.valueOf(pet.getId())).collect(Collectors.joining(","));
    }

    private static String header(Map<String, List<String>> headers, String name) {
        return headers.entrySet().stream()
            .filter(each -> each.getKey().equalsIgnoreCase(name))
            .map(each -> each.getValue().get(0))
            .findFirst().orElse("");
    }

    /** Returns the exception of a request, whose body must have this code. */
    private static ApiException failure(Request request, KnownErrorCode code) {
        try {
            request.send();
        } catch (ApiException exception) {
            if (code(exception).equals(code.getValue())) return exception;
            throw new IllegalStateException("another error: " + exception.getResponseBody());
        }
        throw new IllegalStateException("no error");
    }

    /** The exception has only the text of the body. */
    private static String code(ApiException exception) {
        return new pets.JSON().getGson().fromJson(exception.getResponseBody(), Error.class).getCode();
    }
}
