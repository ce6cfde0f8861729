import { ProtocolError, ProtocolErrorCode, Server, type Tool } from '@modelcontextprotocol/server';
import packageJson from '../../package.json';
import type { Contract } from '../api/operations.ts';
import type { Environment } from '../core/environments.ts';
import { ApiError } from '../core/errors.ts';
import { SANDBOX_LIMITS } from '../core/sandbox/sandbox.ts';
import { shownName } from '../lib/shown-name.ts';
import { type ApiAddresses, type ApiTool, describeTool, toolsOf } from './api-tools.ts';
import { type Arguments, toolRequest } from './tool-request.ts';
import { refusedCall, toolResult, unansweredCall } from './tool-result.ts';

/** The tools of an environment with their descriptions. */
export interface ToolList {
  readonly tools: ReadonlyMap<string, ApiTool>;
  readonly descriptions: readonly Tool[];
  /** Instructions for the model that uses the tools. */
  readonly instructions: string;
}

/** The connection of the tools to the API. */
export interface ApiConnection {
  /** The value of the Authorization header. */
  readonly authorization: string;
  /**
   * Sends a request to the API; rejects if no reply arrives.
   * @param signal aborts when the client cancels the call.
   */
  send(request: Request, signal: AbortSignal): Promise<Response>;
  /** Called with the reason if no reply arrives. */
  failed(error: unknown): void;
}

/**
 * The revisions of the protocol with a handshake that are served completely, the preferred one first; that of 2026 needs no
 * handshake. 2025-03-26 is not among them, because it demands batches.
 */
export const HTTP_REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18'];

/** On stdin and stdout the revisions of 2024, too: over HTTP they have another transport. */
export const STDIO_REVISIONS: readonly string[] = [...HTTP_REVISIONS, '2024-11-05', '2024-10-07'];

/** The tools that a key of this environment can use. */
export function listTools(
  environment: Environment,
  addresses: ApiAddresses,
  contract: Contract,
): ToolList {
  const tools = toolsOf(environment, addresses, contract);
  return {
    tools: new Map(tools.map((tool) => [tool.operation.id, tool])),
    descriptions: tools.map(describeTool),
    instructions:
      `The animals of a petstore, and messages to the account's inbox. This API key is for ${environment}. ` +
      'Integers of 64 bits are decimal strings. Every call counts towards limits; ' +
      '`rateLimit` in each result tells what is left. After an error with `retryAfter`, wait that many seconds.' +
      (environment === 'staging' ? sandboxInstructions(contract) : ''),
  };
}

function sandboxInstructions(contract: Contract): string {
  const names = contract.operationsOf('sandbox').map(({ id }) => id);
  return (
    ` The tools of the sandbox (${names.join(', ')}) set what the account meets in staging: its time, what is left of ` +
    'its limits, a ban, simulated failures. They count towards a limit of their own, ' +
    `${SANDBOX_LIMITS.perMinute} calls a minute, and work while the key is banned; resetSandbox undoes all of it and ` +
    'leaves animals and messages.'
  );
}

/**
 * Refuses malformed calls with helpful messages. The library's own messages are lists of its validator, and
 * its `McpServer` would also check the arguments, which is left to the API.
 */
class ToolServer extends Server {
  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    const wrapped = super._wrapHandler(method, handler);
    if (method !== 'tools/call') return wrapped;
    const checked: typeof wrapped = async (request, context) => {
      checkCall(request.params);
      return wrapped(request, context);
    };
    return checked;
  }
}

/** @throws ProtocolError if the name of a tool is missing, or the arguments are not an object. */
function checkCall(params: Arguments = {}): void {
  const { name, arguments: given = {} } = params;
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  if (typeof name === 'string' && isObject) return;
  const message = isObject
    ? 'Send the name of a tool as text in "name". tools/list has the names.'
    : 'Send "arguments" as an object with the arguments by name, or leave it out.';
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/**
 * A server of the Model Context Protocol with these tools, for one connection. It is stateless between calls.
 * @param revisions those that can be negotiated, the preferred one first.
 */
export function createToolServer(
  list: ToolList,
  connection: ApiConnection,
  revisions: readonly string[],
): Server {
  const { tools, descriptions, instructions } = list;
  const server = new ToolServer(
    { name: 'petstore', title: 'Petstore', version: packageJson.version },
    {
      capabilities: { tools: { listChanged: false } },
      instructions,
      supportedProtocolVersions: [...revisions],
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: [...descriptions] }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const tool = tools.get(params.name);
    if (!tool) {
      const message = `There is no tool ${shownName(params.name)}. Use one of: ${[...tools.keys()].join(', ')}.`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    }
    return call(tool, params.arguments ?? {}, connection, mcpReq.signal);
  });
  return server;
}

async function call(
  tool: ApiTool,
  given: Arguments,
  { authorization, send, failed }: ApiConnection,
  signal: AbortSignal,
) {
  let reply: Response | undefined;
  try {
    reply = await send(toolRequest(tool, given, authorization), signal);
    return await toolResult(tool, reply);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_parameter') {
      return refusedCall({ code: error.code, message: error.message });
    }
    failed(error);
    return unansweredCall(tool, reply?.headers);
  }
}
