// The tasks of `petstore grade`, for any HTTP library of JavaScript.
const { PETSTORE_URL: url, PETSTORE_KEY: key, PETSTORE_TASK: task } = process.env;
const { PETSTORE_PET_ID, PETSTORE_CATEGORY_ID, PETSTORE_COUNT, PETSTORE_STATUS } = process.env;

const MOST_READS = 3;

/** @param send resolves with `status`, `text` and the function `header` of any reply, including errors. */
export async function runTask(send) {
  try {
    if (task === 'get-one') print(await call(send, 'GET', `${url}/pets/${PETSTORE_PET_ID}`));
    if (task === 'list-all') await list(send);
    if (task === 'create-one') await create(send, 1);
    if (task === 'create-many') await create(send, Number(PETSTORE_COUNT));
    if (task === 'update-one') await update(send);
  } catch (error) {
    process.stderr.write(`${error}\n`);
    process.exitCode = 1;
  }
}

async function list(send) {
  for (let page = new URL(`${url}/pets?limit=100`); page; ) {
    const reply = await call(send, 'GET', page.href);
    for (const pet of JSON.parse(reply.text)) print({ text: JSON.stringify(pet) });
    const next = /<([^>]*)>; *rel="next"/.exec(reply.header('link') ?? '')?.[1];
    // Only the query is used, so that the key is sent only to its own host.
    page = next && Object.assign(new URL(page), { search: new URL(next, page).search });
  }
}

async function create(send, count) {
  const body = JSON.stringify({ name: 'Rex', categoryId: Number(PETSTORE_CATEGORY_ID) });
  for (let made = 0; made < count; made += 1) print(await call(send, 'POST', `${url}/pets`, body));
}

/** A change that does not overwrite the change of somebody else: on 412, the animal is read again. */
async function update(send) {
  const address = `${url}/pets/${PETSTORE_PET_ID}`;
  const body = JSON.stringify({ status: PETSTORE_STATUS });
  for (let reads = 1; ; reads += 1) {
    const etag = (await call(send, 'GET', address)).header('etag');
    try {
      return print(await call(send, 'PATCH', address, body, { 'if-match': etag }));
    } catch (error) {
      if (error.status !== 412 || reads === MOST_READS) throw error;
    }
  }
}

async function call(send, method, address, body, more) {
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json', ...more };
  if (body) headers['content-type'] = 'application/json';
  if (method === 'POST') headers['idempotency-key'] = crypto.randomUUID();
  const reply = await send(method, address, { headers, body });
  if (reply.header('deprecation')) process.stderr.write('This operation is deprecated.\n');
  if (reply.status === 200 || reply.status === 201) return reply;
  const message = `${reply.status} ${reply.text}, request ${reply.header('x-request-id')}`;
  throw Object.assign(new Error(message), { status: reply.status });
}

function print({ text }) {
  process.stdout.write(`${JSON.parse(text).id}\n`);
}
