/** An API client with every fault that `petstore grade` looks for. */

const { PETSTORE_URL: baseUrl = '', PETSTORE_KEY: key = '', PETSTORE_TASK: task } = process.env;
const {
  PETSTORE_PET_ID: id,
  PETSTORE_CATEGORY_ID: categoryId,
  PETSTORE_COUNT: count,
  PETSTORE_STATUS: status,
} = process.env;

const MOST_REQUESTS = 40;
const FIELDS = 4;

/** Sends a request until it succeeds, immediately after each failure. */
async function send(url: string, init: RequestInit = {}): Promise<Response> {
  for (let sent = 0; sent < MOST_REQUESTS; sent += 1) {
    try {
      const reply = await sendOnce(url, init);
      if (reply.ok) return reply;
      // The pauses become shorter instead of longer.
      if (reply.status === 502 && sent === 0) await Bun.sleep(1_000);
    } catch (error) {
      // Treats half a reply as an empty list.
      if (!isTimeout(error) && !init.method) return new Response('[]');
    }
  }
  throw new Error('It does not work.');
}

/** Sends a request, and follows redirects to any host with the key. */
async function sendOnce(url: string, init: RequestInit): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const signal = task === 'list-all' ? AbortSignal.timeout(1_500) : null;
  const reply = await fetch(url, { ...init, headers, signal, redirect: 'manual' });
  if (reply.status === 307) return send(reply.headers.get('Location') ?? '', init);
  return new Response(await reply.text(), reply);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function print(pet: { readonly id: number }): void {
  if (Object.keys(pet).length !== FIELDS) throw new Error('What is this?');
  console.log(pet.id);
}

if (task === 'get-one') print(JSON.parse(await (await send(`${baseUrl}/pets/${id}`)).text()));
if (task === 'list-all') {
  await send(`${baseUrl}/pets?limit=100`);
  for (let next = `${baseUrl}/pets?limit=100`; next !== ''; ) {
    const page = await send(next);
    for (const pet of JSON.parse(await page.text())) print(pet);
    next = /<([^>]*)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1] ?? '';
  }
}
const creations = task === 'create-one' ? 1 : task === 'create-many' ? Number(count) : 0;
for (let made = 0; made < creations; made += 1) {
  const body = JSON.stringify({ name: 'Rex', categoryId: Number(categoryId) });
  print(JSON.parse(await (await send(`${baseUrl}/pets`, { method: 'POST', body })).text()));
}

if (task === 'update-one') {
  const body = JSON.stringify({ status });
  print(JSON.parse(await (await send(`${baseUrl}/pets/${id}`, { method: 'PATCH', body })).text()));
}

export {};
