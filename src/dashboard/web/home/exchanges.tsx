import type { SessionState } from '../api.ts';

interface Exchange {
  readonly title: string;
  readonly request: string;
  /** The first line, such as `201 Created`. */
  readonly status: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Requests with their replies, as the service sends them. */
export function Exchanges({ session }: { session: SessionState }) {
  const serves = session.operations.includes('createOrder');
  const shown = [added(session), ...(serves ? [ordered(session)] : []), refused(session)];
  return (
    <section className="exchanges" aria-label="What it does">
      {shown.map((exchange) => (
        <ExchangeView key={exchange.title} exchange={exchange} />
      ))}
    </section>
  );
}

function ExchangeView({ exchange }: { readonly exchange: Exchange }) {
  const { title, request, status, headers, body } = exchange;
  return (
    <article className="exchange">
      <h2>{title}</h2>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: scrollable content must scroll by keyboard, too. */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: a fieldset does not preserve line breaks. */}
      <pre role="group" tabIndex={0} aria-label={`Request: ${title}`}>
        <code>{request}</code>
      </pre>
      <pre role="group" tabIndex={0} aria-label={`Reply: ${title}`} className="exchange-reply">
        <code>
          <strong className={status < '400' ? 'is-success' : 'is-error'}>{status}</strong>
          {headers.map(([name, value]) => (
            <span key={name}>
              {`\n${name}: `}
              <b>{value}</b>
            </span>
          ))}
          {`\n\n${body}`}
        </code>
      </pre>
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: see above. */}
      {/* biome-ignore-end lint/a11y/useSemanticElements: see above. */}
    </article>
  );
}

const MINUTE = 60;

function limitHeaders({ now }: SessionState, remaining: number): Exchange['headers'] {
  return [
    ['X-RateLimit-Limit', '60'],
    ['X-RateLimit-Remaining', `${remaining}`],
    ['X-RateLimit-Reset', `${Math.ceil(now / 1_000) + MINUTE}`],
  ];
}

function added(session: SessionState): Exchange {
  return {
    title: 'Add an animal',
    request: post(`${session.addresses.production}/pets`, '{"name":"Biscuit","categoryId":7}'),
    status: '201 Created',
    headers: limitHeaders(session, 59),
    body: '{"id":1,"name":"Biscuit","categoryId":7,"status":"available"}',
  };
}

function ordered(session: SessionState): Exchange {
  const at = new Date(session.now).toISOString();
  return {
    title: 'Order it',
    request: post(`${session.addresses.production}/store/orders`, '{"petId":1}'),
    status: '201 Created',
    headers: limitHeaders(session, 58),
    body: `{"id":1,"petId":1,"status":"placed","createdAt":"${at}","updatedAt":"${at}"}`,
  };
}

function refused(session: SessionState): Exchange {
  return {
    title: 'Meet a limit',
    request: `curl -i ${session.addresses.production}/pets \\
  -H "Authorization: Bearer $PETSTORE_KEY"`,
    status: '429 Too Many Requests',
    headers: [['Retry-After', `${MINUTE}`], ...limitHeaders(session, 0)],
    body: '{"code":"rate_limited","message":"Too many requests in this minute. Wait for the seconds in Retry-After, then go on.","status":429}',
  };
}

function post(address: string, body: string): string {
  return `curl -i ${address} \\
  -H "Authorization: Bearer $PETSTORE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`;
}
