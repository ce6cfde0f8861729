import { describe, expect, test } from 'bun:test';
import { csvLine } from '../../src/lib/csv.ts';
import { createKey, customer, dashboardScene } from '../support/dashboard-scene.ts';

/** What may separate cells when a spreadsheet opens a CSV file, by its region and settings. */
const SEPARATORS = [',', ';', '\t', '|'];

const FORMULA = /^[=+\-@＝＋－＠\t\r]/;

/** The cells that a spreadsheet reads with this separator; a quote counts only at the start of a cell. */
function cellsOf(file: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at <= file.length; at += 1) {
    const character = file[at] ?? '\n';
    if (isQuoted && character === '"' && file[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"' && (isQuoted || cell === '')) {
      isQuoted = !isQuoted;
    } else if (!isQuoted && (character === separator || /[\r\n]/.test(character))) {
      cells.push(cell);
      cell = '';
    } else {
      cell += character;
    }
  }
  return [...cells, cell];
}

/** The cells that begin a formula, in a reader that obeys quotes and in one that does not. */
function formulasIn(file: string): string[] {
  const cells = SEPARATORS.flatMap((separator) => [
    ...cellsOf(file, separator),
    ...file.split(separator).flatMap((line) => line.split(/\r?\n/)),
  ]);
  // Spreadsheets drop these before they look at a cell; an apostrophe marks a text.
  return cells
    .map((cell) => cell.replace(/^["\s\p{C}\p{Z}]+/u, ''))
    .filter((cell) => FORMULA.test(cell));
}

const STARTS = ['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '＋1', '－1', '＠A1'];
const SKIPPED = [
  '',
  ' ',
  '"',
  '""',
  ' "',
  '\0',
  '\u00a0',
  '\u200b',
  '\ufeff',
  '\u3000',
  '\t',
  '\r',
  '\n',
];

describe('a text in a CSV file', () => {
  test('is no formula, wherever a spreadsheet begins a cell', () => {
    for (const start of STARTS) {
      for (const skipped of SKIPPED) {
        for (const before of [
          '',
          ...SEPARATORS.flatMap((each) => [each, `a${each}`, `"a"${each}`]),
          'a\r\n',
          'a\n',
        ]) {
          const text = before + skipped + start;
          expect(formulasIn(csvLine([text])), JSON.stringify(text)).toEqual([]);
          expect(formulasIn(csvLine(['x', text, 'y'])), JSON.stringify(text)).toEqual([]);
        }
      }
    }
    // The check finds what it looks for.
    expect(formulasIn('x,"a;=1+1"\r\n')).not.toEqual([]);
    expect(formulasIn('x,"a;""=1+1"\r\n')).not.toEqual([]);
  });

  test('reads as it was where nothing would run', () => {
    const texts = [
      'a=b',
      'a-b',
      'x@example.com',
      "'=1",
      'a; b',
      'a|b',
      'a, "b"',
      'two\r\nlines',
      '1-1',
      '',
    ];
    const line = csvLine([...texts, -5, 1.5, true, null]);
    expect(cellsOf(line, ',').slice(0, texts.length)).toEqual(texts);
    expect(line).toEndWith(',-5,1.5,true,\r\n');
  });

  test('has no control characters but tabs and ends of lines', () => {
    expect(csvLine(['a\0b', '\0=1', 'a\u001bb', 'a\tb'])).toBe(
      `a\ufffdb,'\ufffd=1,a\ufffdb,"a\tb"\r\n`,
    );
  });
});

test('downloads of requests, usage and the audit log hold no formulas', async () => {
  await using it = await dashboardScene();
  const visitor = await customer(it.service);
  const { text: key } = await createKey(visitor, { name: 'shop;=1+1' });
  await it.service.request('/pets', {
    key,
    headers: { 'User-Agent': 'Bot; =cmd|x!A1 (; +http://x)' },
  });
  it.clock.advance(10_000);
  await it.service.runJobs();
  for (const path of ['/api/requests?format=csv', '/api/usage/requests?last=24h&format=csv']) {
    const reply = await visitor.get(path);
    const file = await reply.text();
    expect([reply.status, file]).toEqual([200, expect.stringMatching(/;.*'.*=/)]);
    expect(formulasIn(file)).toEqual([]);
  }
});
