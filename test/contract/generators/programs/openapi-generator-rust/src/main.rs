//! Calls the service with the clients that openapi-generator generated, and prints the results.

use std::env;
use std::error::Error as StandardError;
use std::sync::{Arc, Mutex};

use http::{Extensions, HeaderMap};
use messages::apis::quickstart_api::send_message;
use messages::models::MessageInput;
use pets::apis::configuration::Configuration;
use pets::apis::pets_api::{create_pet, delete_pet, get_pet, list_pets, update_pet};
use pets::apis::Error;
use pets::models::{KnownErrorCode, NewPet, Pet, PetPatch, PetStatus};
use reqwest_middleware::{ClientBuilder, Middleware, Next};

type Failure = Box<dyn StandardError>;

/// The status and headers of the last reply: the operations return only the body.
#[derive(Clone, Default)]
struct LastHeaders(Arc<Mutex<(u16, HeaderMap)>>);

#[async_trait::async_trait]
impl Middleware for LastHeaders {
    async fn handle(
        &self,
        request: reqwest::Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        let reply = next.run(request, extensions).await?;
        *self.0.lock().unwrap() = (reply.status().as_u16(), reply.headers().clone());
        Ok(reply)
    }
}

impl LastHeaders {
    fn status(&self) -> u16 {
        self.0.lock().unwrap().0
    }

    fn get(&self, name: &str) -> Option<String> {
        let (_, headers) = &*self.0.lock().unwrap();
        headers.get(name).map(|value| value.to_str().unwrap().to_owned())
    }
}

/// The client uses the address of the document's server.
fn pets_of(key: &str, headers: &LastHeaders) -> Configuration {
    Configuration {
        bearer_access_token: Some(key.to_owned()),
        client: ClientBuilder::new(reqwest::Client::new()).with(headers.clone()).build(),
        ..Configuration::default()
    }
}

#[tokio::main(flavor = "current_thread")]
#[allow(deprecated)]
async fn main() -> Result<(), Failure> {
    let headers = LastHeaders::default();
    let key = env::var("API_KEY")?;
    let api = pets_of(&key, &headers);

    let biscuit = create_pet(&api, NewPet::new("Biscuit".into(), 7), None).await?;
    println!("created: {} {} {} {}", biscuit.id, biscuit.name, biscuit.category_id, biscuit.status);
    let pebble =
        NewPet { status: Some(PetStatus::Sold), ..NewPet::new("Pebble".into(), 9007199254740993) };
    create_pet(&api, pebble, None).await?;
    create_pet(&api, NewPet::new("Rex".into(), 1), Some("rex")).await?;

    println!("pages: {}", pages(&api, &headers).await?.join(" "));

    let sold = list_pets(&api, None, Some(PetStatus::Sold), None, None).await?;
    println!("filtered: {}", ids(&sold));
    println!("integer: {}", sold[0].category_id);
    println!("fetched: {}", get_pet(&api, biscuit.id, None).await?.name);

    let tag = headers.get("ETag").ok_or("no ETag")?;
    let patch = PetPatch { status: Some(PetStatus::Sold), ..PetPatch::new() };
    let changed = update_pet(&api, biscuit.id, patch.clone(), Some(&tag), None).await?;
    println!("changed: {} {} {}", changed.id, changed.name, changed.status);
    let stale = update_pet(&api, biscuit.id, patch, Some(&tag), None).await;
    println!("stale: {}", failure(stale, KnownErrorCode::PreconditionFailed)?);
    delete_pet(&api, 3, None, None).await?;
    println!("deleted: {}", headers.status());

    let sender = messages::apis::configuration::Configuration {
        bearer_access_token: Some(key),
        ..messages::apis::configuration::Configuration::default()
    };
    let sent = send_message(&sender, MessageInput::new("Hello, petstore!".into()), None).await?;
    println!("sent: {}", sent.status);

    let refused = list_pets(&pets_of("unknown", &headers), None, None, None, None).await;
    println!("unauthorized: {}", failure(refused, KnownErrorCode::InvalidApiKey)?);
    let missing = get_pet(&api, 999, None).await;
    println!("missing: {}", failure(missing, KnownErrorCode::PetNotFound)?);

    let limited = pets_of(&env::var("LIMITED_KEY")?, &headers);
    list_pets(&limited, None, None, None, None).await?;
    let refused = list_pets(&limited, None, None, None, None).await;
    let limited = failure(refused, KnownErrorCode::RateLimited)?;
    println!("limited: {} {}", limited, headers.get("Retry-After").ok_or("no Retry-After")?);
    Ok(())
}

async fn pages(api: &Configuration, headers: &LastHeaders) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    let mut after = None;
    loop {
        found.push(ids(&list_pets(api, Some(2), None, after, None).await?));
        let Some(link) = headers.get("Link") else {
            return Ok(found);
        };
        let digits = link.split("after=").nth(1).ok_or("a Link without after")?;
        let end = digits.find(|each: char| !each.is_ascii_digit()).unwrap_or(digits.len());
        after = Some(digits[..end].parse()?);
    }
}

fn ids(page: &[Pet]) -> String {
    page.iter().map(|pet| pet.id.to_string()).collect::<Vec<_>>().join(",")
}

/// Returns status and code of an error, which must have this code. `entity` has the same fields,
/// but always as the variant of the first status.
fn failure<T, E>(result: Result<T, Error<E>>, code: KnownErrorCode) -> Result<String, Failure> {
    let Err(Error::ResponseError(reply)) = result else {
        return Err("not an error of the API".into());
    };
    let body: pets::models::Error = serde_json::from_str(&reply.content)?;
    if reply.entity.is_none() || body.code != code.to_string() {
        return Err(format!("another error: {}", reply.content).into());
    }
    Ok(format!("{} {}", reply.status.as_u16(), body.code))
}
