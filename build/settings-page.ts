import { SETTINGS } from '../src/config/settings.ts';
import { CLIENT_ADDRESSES } from '../src/config/variables.ts';

const READING = `Settings are environment variables. \`npm start\` and \`npx petstore\` also read a file \`.env\` in the current folder; the
executable, \`petstore run\` and \`petstore grade\` do not, nor does \`serve --no-env-file\`. All invalid settings are reported
together at the start, one line each, with exit code 2.`;

const OTHERS = `A variable that begins with \`PETSTORE_\` and is not in the table is an error, with two exceptions:

- those that \`petstore run\` and \`petstore grade\` set for their command, such as \`PETSTORE_KEY\` (which \`petstore mcp\`
  also reads), ${Object.values(CLIENT_ADDRESSES)
    .map((name) => `\`${name}\``)
    .join(', ')}
- those that Kubernetes adds for services, such as \`PETSTORE_SERVICE_HOST\`

\`petstore run\`, \`grade\` and \`mcp\` ignore all variables that are not in the table.

If \`OTEL_EXPORTER_OTLP_ENDPOINT\` is set, requests are traced to that OpenTelemetry collector, as the other variables of
OpenTelemetry say.

[Operations](operations.md#configure) shows which settings a service in production needs.`;

/** The page with every setting, its default and its meaning. */
export function settingsPage(): string {
  const rows = Object.entries(SETTINGS).map(
    ([name, { default: value, purpose }]) => `| \`${name}\` | ${value} | ${purpose} |`,
  );
  const table = ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
  return `${['<!-- npm run docs -->', '# Settings', READING, table, OTHERS].join('\n\n')}\n`;
}
