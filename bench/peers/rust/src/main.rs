//! The service in one file of Rust, as a reference: axum, the first page in memory, and a writer
//! thread with group commit. It has no bans, metrics, log, usage or saved quotas.
//!
//! `petstore-peer PORT DATABASE KEY_FILE PER_MINUTE PER_DAY ANONYMOUS_LIMIT`

use std::collections::HashMap;
use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::{IpAddr, SocketAddr};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, LINK,
    RETRY_AFTER, VARY, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use hmac::{Hmac, KeyInit, Mac};
use rusqlite::{Connection, TransactionBehavior, params};
use serde::Deserialize;
use sha2::Sha256;
use tokio::sync::oneshot;
use uuid::Uuid;

const MAX_BODY: usize = 64 * 1024;
const BATCH_SIZE: usize = 1_000;
const QUEUE_CAPACITY: usize = 10_000;
const MINUTE: Duration = Duration::from_secs(60);
const DAY: u64 = 86_400;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const CURRENT: HeaderName = HeaderName::from_static("ratelimit");
const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

type Digest = [u8; 32];

#[derive(Clone, Copy)]
struct Limits {
    per_minute: u64,
    per_day: u64,
}

/// An account, or a client address without a valid key, with its usage of both windows.
struct Caller {
    limits: Limits,
    policy: HeaderValue,
    minute_ends_at: Instant,
    minute_used: u64,
    /// Days since the Unix epoch.
    day: u64,
    day_used: u64,
}

/// The state of a limit after a request was counted or refused.
struct Window {
    limit: u64,
    remaining: u64,
    reset_in: Duration,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewPet {
    name: String,
    category_id: i64,
    #[serde(default = "available")]
    status: String,
}

/// A row to be written; `id` receives its id, or none if it cannot be written.
struct Creation {
    pet: NewPet,
    id: oneshot::Sender<Option<i64>>,
}

struct Service {
    mac: Hmac<Sha256>,
    accounts: HashMap<Digest, Mutex<Caller>>,
    anonymous: Limits,
    addresses: Mutex<HashMap<IpAddr, Caller>>,
    page: Bytes,
    link: HeaderValue,
    tag: HeaderValue,
    creations: SyncSender<Creation>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [port, database, key_file, per_minute, per_day, anonymous] = &arguments[..] else {
        return Err("PORT DATABASE KEY_FILE PER_MINUTE PER_DAY ANONYMOUS_LIMIT".into());
    };
    let limits = Limits {
        per_minute: per_minute.parse()?,
        per_day: per_day.parse()?,
    };
    let anonymous: u64 = anonymous.parse()?;
    let secret = [Uuid::now_v7().into_bytes(), Uuid::now_v7().into_bytes()].concat();
    let mac = Hmac::<Sha256>::new_from_slice(&secret)?;
    let keys = std::fs::read_to_string(key_file)?;
    let accounts = keys
        .split_whitespace()
        .map(|key| {
            Ok((
                digest(&mac, key.as_bytes()),
                Mutex::new(Caller::new(limits)?),
            ))
        })
        .collect::<Result<_, Box<dyn Error>>>()?;
    let connection = Connection::open(database)?;
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")?;
    let (sender, receiver) = sync_channel(QUEUE_CAPACITY);
    let page = first_page(&connection)?;
    let mut hasher = DefaultHasher::new();
    page.hash(&mut hasher);
    let service = Service {
        mac,
        accounts,
        anonymous: Limits {
            per_minute: anonymous,
            per_day: anonymous,
        },
        addresses: Mutex::default(),
        tag: format!("W/\"{:x}-{:x}\"", page.len(), hasher.finish()).parse()?,
        page: page.into(),
        link: format!("<http://localhost:{port}/v1/pets?limit=20&after=20>; rel=\"next\"")
            .parse()?,
        creations: sender,
    };
    std::thread::spawn(move || write(connection, receiver));
    let app = Router::new().fallback(handle).with_state(Arc::new(service));
    let address: SocketAddr = format!("127.0.0.1:{port}").parse()?;
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(async {
            let listener = tokio::net::TcpListener::bind(address).await?;
            axum::serve(
                listener,
                app.into_make_service_with_connect_info::<SocketAddr>(),
            )
            .await?;
            Ok(())
        })
}

async fn handle(
    State(service): State<Arc<Service>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let mut headers = HeaderMap::with_capacity(14);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REQUEST_ID, request_id(request.headers()));
    let authorization = request.headers().get(AUTHORIZATION);
    let account = authorization.and_then(|value| service.account(value.as_bytes()));
    let is_admitted = match account {
        Some(account) => lock(account).take(&mut headers),
        None => service.take_from_address(peer.ip(), &mut headers),
    };
    let (status, body) = if !is_admitted {
        error(429, "rate_limited", "Wait for the seconds in Retry-After.")
    } else if account.is_none() && authorization.is_none() {
        headers.insert(
            WWW_AUTHENTICATE,
            HeaderValue::from_static("Bearer realm=\"petstore\""),
        );
        error(
            401,
            "missing_api_key",
            "Send 'Authorization: Bearer <API_KEY>'.",
        )
    } else if account.is_none() {
        let challenge = "Bearer realm=\"petstore\", error=\"invalid_token\"";
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        error(
            401,
            "invalid_api_key",
            "This API key is unknown. Create a new one.",
        )
    } else if request.uri().path() != "/v1/pets" {
        error(404, "not_found", "Nothing is served at this path.")
    } else if request.method() == Method::POST {
        service.create(request).await
    } else {
        headers.insert(LINK, service.link.clone());
        headers.insert(ETAG, service.tag.clone());
        let private = HeaderValue::from_static("private, no-cache");
        headers.insert(CACHE_CONTROL, private);
        (StatusCode::OK, service.page.clone())
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

impl Service {
    fn account(&self, authorization: &[u8]) -> Option<&Mutex<Caller>> {
        let (scheme, key) = authorization.split_at_checked(7)?;
        let is_bearer = scheme.eq_ignore_ascii_case(b"Bearer ");
        is_bearer.then(|| self.accounts.get(&digest(&self.mac, key)))?
    }

    fn take_from_address(&self, address: IpAddr, headers: &mut HeaderMap) -> bool {
        let mut addresses = lock(&self.addresses);
        if let Some(caller) = addresses.get_mut(&address) {
            return caller.take(headers);
        }
        let Ok(caller) = Caller::new(self.anonymous) else {
            return false;
        };
        addresses.entry(address).or_insert(caller).take(headers)
    }

    async fn create(&self, request: Request) -> (StatusCode, Bytes) {
        let content_type = request
            .headers()
            .get(CONTENT_TYPE)
            .map(HeaderValue::as_bytes);
        let media_type = content_type
            .unwrap_or_default()
            .split(|&byte| byte == b';')
            .next();
        let is_json = media_type
            .is_some_and(|text| text.trim_ascii().eq_ignore_ascii_case(b"application/json"));
        if !is_json {
            let advice = "Send 'Content-Type: application/json'.";
            return error(400, "unsupported_content_type", advice);
        }
        let body = to_bytes(request.into_body(), MAX_BODY)
            .await
            .unwrap_or_default();
        let pet = match serde_json::from_slice::<NewPet>(&body) {
            Ok(pet) if is_valid(&pet) => pet,
            Err(problem) if !problem.is_data() => {
                return error(400, "invalid_json", "The body is not valid JSON.");
            }
            _ => return error(400, "invalid_body", "The body is not a new pet."),
        };
        let name = serde_json::to_string(&pet.name).unwrap_or_default();
        let rest = format!(
            r#""name":{name},"categoryId":{},"status":"{}""#,
            pet.category_id, pet.status
        );
        let (id, written) = oneshot::channel();
        let is_queued = self.creations.try_send(Creation { pet, id }).is_ok();
        match if is_queued {
            written.await.ok().flatten()
        } else {
            None
        } {
            Some(id) => (
                StatusCode::CREATED,
                format!(r#"{{"id":{id},{rest}}}"#).into(),
            ),
            None => error(503, "unavailable", "The pet cannot be written just now."),
        }
    }
}

impl Caller {
    fn new(limits: Limits) -> Result<Self, Box<dyn Error>> {
        let Limits {
            per_minute,
            per_day,
        } = limits;
        Ok(Self {
            limits,
            policy: format!(r#""minute";q={per_minute};w=60, "day";q={per_day};w=86400"#)
                .parse()?,
            minute_ends_at: Instant::now(),
            minute_used: 0,
            day: 0,
            day_used: 0,
        })
    }

    /// Counts one request in both windows, or in neither, and writes the rate-limit headers.
    fn take(&mut self, headers: &mut HeaderMap) -> bool {
        let now = Instant::now();
        let wall = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let today = wall.as_secs() / DAY;
        if self.day != today && self.day != today + 1 {
            (self.day, self.day_used) = (today, 0);
        }
        if self.minute_used == 0 || now >= self.minute_ends_at {
            (self.minute_ends_at, self.minute_used) = (now + MINUTE, 0);
        }
        let Limits {
            per_minute,
            per_day,
        } = self.limits;
        let is_admitted = self.minute_used < per_minute && self.day_used < per_day;
        if is_admitted {
            self.minute_used += 1;
            self.day_used += 1;
        }
        let minute = Window {
            limit: per_minute,
            remaining: per_minute - self.minute_used,
            reset_in: self.minute_ends_at - now,
        };
        let day = Window {
            limit: per_day,
            remaining: per_day - self.day_used,
            reset_in: Duration::from_secs((self.day + 1) * DAY) - wall,
        };
        let both_exhausted = !is_admitted && minute.remaining == 0 && day.remaining == 0;
        let is_day = if both_exhausted {
            day.reset_in > minute.reset_in
        } else {
            day.remaining < minute.remaining
        };
        let (r, t) = (minute.remaining, seconds(minute.reset_in));
        let current = format!(
            r#""minute";r={r};t={t}, "day";r={};t={}"#,
            day.remaining,
            seconds(day.reset_in)
        );
        headers.insert(POLICY, self.policy.clone());
        headers.insert(CURRENT, value(current));
        let shown = if is_day { day } else { minute };
        headers.insert(LIMIT, shown.limit.into());
        headers.insert(REMAINING, shown.remaining.into());
        headers.insert(RESET, seconds(wall + shown.reset_in).into());
        if !is_admitted {
            headers.insert(RETRY_AFTER, seconds(shown.reset_in).max(1).into());
        }
        is_admitted
    }
}

/// The writer thread: commits all waiting creations in one transaction; meanwhile the next ones queue up.
fn write(mut connection: Connection, creations: Receiver<Creation>) {
    while let Ok(first) = creations.recv() {
        let mut batch = vec![first];
        batch.extend(creations.try_iter().take(BATCH_SIZE - 1));
        let ids = insert(&mut connection, &batch);
        if let Err(problem) = &ids {
            eprintln!("{problem}");
        }
        for (index, Creation { id, .. }) in batch.into_iter().enumerate() {
            // A disconnected client needs no reply.
            let _ = id.send(ids.as_ref().ok().map(|ids| ids[index]));
        }
    }
}

fn insert(connection: &mut Connection, batch: &[Creation]) -> rusqlite::Result<Vec<i64>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let sql = "INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)";
    let mut statement = transaction.prepare_cached(sql)?;
    let ids = batch
        .iter()
        .map(|Creation { pet, .. }| {
            statement.insert(params![pet.name, pet.category_id, pet.status])
        })
        .collect::<Result<_, _>>()?;
    drop(statement);
    transaction.commit()?;
    Ok(ids)
}

fn first_page(connection: &Connection) -> rusqlite::Result<String> {
    let sql = "SELECT id, name, category_id, status FROM pets ORDER BY id LIMIT 20";
    let mut statement = connection.prepare(sql)?;
    let pets = statement.query_map([], |row| {
        let (id, name, category_id): (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (name, status) = (serde_json::Value::from(name), row.get::<_, String>(3)?);
        Ok(format!(
            r#"{{"id":{id},"name":{name},"categoryId":{category_id},"status":"{status}"}}"#
        ))
    })?;
    Ok(format!(
        "[{}]",
        pets.collect::<Result<Vec<_>, _>>()?.join(",")
    ))
}

fn digest(mac: &Hmac<Sha256>, key: &[u8]) -> Digest {
    mac.clone().chain_update(key).finalize().into_bytes().into()
}

fn is_valid(NewPet { name, status, .. }: &NewPet) -> bool {
    let is_name =
        !name.trim().is_empty() && name.chars().count() <= 255 && !name.contains(char::is_control);
    is_name && matches!(status.as_str(), "available" | "pending" | "sold")
}

fn available() -> String {
    "available".into()
}

fn request_id(sent: &HeaderMap) -> HeaderValue {
    let own = || value(Uuid::now_v7().to_string());
    sent.get(REQUEST_ID).cloned().unwrap_or_else(own)
}

fn value(text: String) -> HeaderValue {
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}

fn error(status: u16, code: &str, message: &str) -> (StatusCode, Bytes) {
    let body = format!(r#"{{"code":"{code}","message":"{message}","status":{status}}}"#);
    (
        StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST),
        body.into(),
    )
}

/// Whole seconds, rounded up.
fn seconds(duration: Duration) -> u64 {
    duration.as_millis().div_ceil(1_000) as u64
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
