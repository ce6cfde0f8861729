// The tasks of `petstore grade`, for any HTTP library of JavaScript.
const { PETSTORE_URL: url, PETSTORE_KEY: key, PETSTORE_TASK: task } = process.env;
const { PETSTORE_PET_ID, PETSTORE_CATEGORY_ID, PETSTORE_COUNT } = process.env;

/** @param send resolves with `status`, `text` and the function `header` of any reply, including errors. */
export async function runTask(send) {
  try {
    if (task === 'get-one') print(await call(send, 'GET', `${url}/pets/${PETSTORE_PET_ID}`));
    if (task === 'list-all') await list(send);
    if (task === 'create-one') await create(send, 1);
    if (task === 'create-many') await create(send, Number(PETSTORE_COUNT));
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

async function call(send, method, address, body) {
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
  if (body) headers['content-type'] = 'application/json';
  if (body) headers['idempotency-key'] = crypto.randomUUID();
  const reply = await send(method, address, { headers, body });
  if (reply.header('deprecation')) process.stderr.write('This operation is deprecated.\n');
  if (reply.status === 200 || reply.status === 201) return reply;
  throw new Error(`${reply.status} ${reply.text}, request ${reply.header('x-request-id')}`);
}

function print({ text }) {
  process.stdout.write(`${JSON.parse(text).id}\n`);
}
