/** Blocks of text, each a paragraph; empty ones are left out. */
export function document(...blocks: string[]): string {
  return `${blocks
    .filter((block) => block !== '')
    .map((block) => block.trimEnd())
    .join('\n\n')}\n`;
}

export function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

export function table(
  titles: readonly string[],
  rows: ReadonlyArray<ReadonlyArray<string | number>>,
) {
  const line = (cells: ReadonlyArray<string | number>) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A cell is one line; a vertical bar in it is escaped. */
function cell(value: string | number): string {
  return String(value).replaceAll('\n\n', ' ').replaceAll('\n', ' ').replaceAll('|', '\\|');
}
