import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { SLOW_REPLY, type TestService } from './harness.ts';
import { cleanEnvironment, PROGRAM } from './process.ts';

/** The revisions of the protocol that clients use: those with a handshake, and that of 2026 without one. */
export const ERAS = ['legacy', 'auto'] as const;
export type Era = (typeof ERAS)[number];

/** The result of a tool, with fields of unknown types. */
export interface ToolOutcome {
  readonly isError: boolean;
  readonly content: ToolContent;
}

/** The structured content of a result, as src/mcp/tool-result.ts writes it. */
export interface ToolContent {
  // biome-ignore lint/suspicious/noExplicitAny: the result of any operation
  readonly result?: any;
  readonly error?: { readonly code: string; readonly message: string; readonly status: number };
  readonly nextPage?: Readonly<Record<string, unknown>>;
  readonly entityTag?: string;
  readonly replayed?: boolean;
  readonly retryAfter?: number;
  readonly requestId?: string;
  readonly rateLimit?: {
    readonly limit: number;
    readonly remaining: number;
    readonly reset: number;
    readonly minute: ToolWindow;
    readonly day: ToolWindow;
  };
}

interface ToolWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly resetIn: number;
}

/** The official client, connected to the tools of a petstore. */
export class ToolClient implements AsyncDisposable {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  static async connect(transport: Transport, era: Era = 'legacy'): Promise<ToolClient> {
    const info = { name: 'test', version: '1.0.0' };
    const client = new Client(info, { versionNegotiation: { mode: era } });
    await client.connect(transport, { timeout: SLOW_REPLY });
    return new ToolClient(client);
  }

  /** Over streamable HTTP. @param url of the dashboard. */
  static overHttp(url: string, key: string, era?: Era): Promise<ToolClient> {
    const headers = { Authorization: `Bearer ${key}` };
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers },
    });
    return ToolClient.connect(transport, era);
  }

  /** Over stdio, with `petstore mcp` in its own process. */
  static overStdio(
    settings: Readonly<Record<string, string>>,
    era?: Era,
    command: readonly string[] = PROGRAM,
  ): Promise<ToolClient> {
    const [executable = '', ...args] = command;
    const env = cleanEnvironment(settings);
    const transport = new StdioClientTransport({
      command: executable,
      args: [...args, 'mcp'],
      env,
    });
    return ToolClient.connect(transport, era);
  }

  /** Calls a tool; the client checks the result against the tool's output schema once it has listed the tools. */
  async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<ToolOutcome> {
    const result = await this.client.callTool(
      { name, arguments: { ...args } },
      { timeout: SLOW_REPLY },
    );
    const [text] = result.content;
    const content: ToolContent = Object(result.structuredContent);
    // For clients that do not read structured content.
    if (text?.type !== 'text' || text.text !== JSON.stringify(content)) {
      throw new Error(`The text differs from the structured content: ${JSON.stringify(result)}`);
    }
    return { isError: result.isError === true, content };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}

/** The first message of a session in the legacy era. */
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  },
};

/** The message that calls a tool in the legacy era. */
export function toolCall(name: string, args: Readonly<Record<string, unknown>> = {}) {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}

/** Posts one message, or any other body, to /mcp unchanged. */
export function sendMessage(
  { dashboardUrl }: Pick<TestService, 'dashboardUrl'>,
  key: string | undefined,
  message: BodyInit | Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const isMessage = Object.hasOwn(Object(message), 'jsonrpc');
  return fetch(`${dashboardUrl}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: isMessage ? JSON.stringify(message) : Object(message),
  });
}
