/** Markup, which is inserted into templates without escaping. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A template of markup. Values are escaped unless they are markup themselves. */
export function html(
  parts: TemplateStringsArray,
  ...values: ReadonlyArray<string | Html | readonly Html[]>
): Html {
  const written = parts.map((part, index) => part + write(values[index] ?? ''));
  return new Html(written.join(''));
}

function write(value: string | Html | readonly Html[]): string {
  if (value instanceof Html) return value.text;
  return typeof value === 'string' ? Bun.escapeHTML(value) : value.map(write).join('\n');
}
