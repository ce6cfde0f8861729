import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fixtureSchema from '../../fixture.schema.json';
import { PARTS } from '../../src/config/config.ts';
import { APIS } from '../../src/core/environments.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { ToolClient } from '../support/mcp.ts';
import { sharedService } from '../support/shared-service.ts';
import { runTool } from '../support/tools.ts';

const shared = sharedService(() => TestService.start({ parts: PARTS }));

/** Every pattern of a served document or tool, and of the schema of fixtures. */
const patterns = new Set<string>();

beforeAll(async () => {
  const service = shared();
  collect(fixtureSchema);
  for (const api of APIS) {
    collect(await (await fetch(`${service.url(api)}/openapi.json`)).json());
  }
  for (const environment of ['production', 'staging'] as const) {
    const { secret } = await service.account(undefined, environment);
    await using tools = await ToolClient.overHttp(service.dashboardUrl, secret);
    collect(await tools.client.listTools());
  }
});

function collect(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === 'pattern' && typeof member === 'string') patterns.add(member);
    else collect(member);
  }
}

/** What JSON Schema advises to use (2020-12, Core, 6.4): no escapes, no look-around, no `(?`, no sets in classes. */
const ADVISED =
  /^\^?(?:(?:\((?!\?)|\)|\||\[\^?[^\\\]^[]+\]|[^\\()[\]{}*+?.^$|]|\.)(?:[*+?]|\{\d+(?:,\d*)?\})?\??)*\$?$/u;

const CODE_POINTS = [
  0, 0x1f, 0x20, 0x41, 0x7e, 0x7f, 0x80, 0x9f, 0xa0, 0xa1, 0xe9, 0x3042, 0xfeff, 0xfffd, 0x10000,
  0x1f436, 0x10fffd, 0x10ffff,
];

/** Texts that fit some of the patterns, or nearly. */
const TEXTS = [
  ...CODE_POINTS.flatMap((each) =>
    ['', 'a', ' '].map((before) => before + String.fromCodePoint(each)),
  ),
  ...[
    '',
    ' ',
    'true',
    '0',
    '-9223372036854775808',
    '01',
    '2030-12-05T00:00:00.123Z',
    '2030-12-05T00:00:00x1Z',
  ],
  ...[`pst_live_${'a'.repeat(36)}`, `msg_${'0'.repeat(32)}`, 'Biscuit & co.', 'tab\there'],
];

/** For each pattern whether it matches each text, as the engine of JSON Schema finds. */
const verdicts = () =>
  [...patterns].map((pattern) => TEXTS.map((text) => new RegExp(pattern, 'u').test(text)));

describe('every pattern in a document, a tool or the schema of fixtures', () => {
  test('has only what JSON Schema advises', () => {
    expect(patterns.size).toBeGreaterThan(6);
    expect([...patterns].filter((pattern) => !ADVISED.test(pattern))).toEqual([]);
    // The check finds what it looks for.
    for (const bad of ['\\u0020', '\\d', '(?:a)', '(?=a)', '[^\\u0000]', '\\.']) {
      expect(ADVISED.test(bad), bad).toBe(false);
    }
  });

  test('holds no character that programs or editors cannot hold', () => {
    const characters = [...[...patterns].join('')];
    expect(characters.filter((each) => /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(each))).toEqual([]);
  });

  test('means the same in engines that read UTF-16', () => {
    for (const pattern of patterns) {
      const utf16 = new RegExp(pattern);
      for (const text of TEXTS) {
        expect([text, utf16.test(text)]).toEqual([text, new RegExp(pattern, 'u').test(text)]);
      }
    }
  });

  test.skipIf(!Bun.which('go'))('means the same in Go', async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, 'go.mod'), 'module patterns\n\ngo 1.24\n');
    await Bun.write(join(folder.path, 'main.go'), GO);
    const environment = { GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
    await expectSame(folder.path, ['go', 'run', '-gcflags=all=-N -l', '.'], environment);
  });

  test.skipIf(!Bun.which('python3'))('means the same in Python', async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, 'main.py'), PYTHON);
    await expectSame(folder.path, ['python3', '-W', 'error', 'main.py']);
  });

  test('can be compiled by PCRE, which PHP uses', () => {
    const compile = (pattern: string) =>
      Bun.spawnSync(['grep', '--perl-regexp', '--regexp', pattern], {
        stdin: new Uint8Array(),
        env: { ...process.env, LC_ALL: 'C.UTF-8' },
      });
    // 1: compiled, and found nothing in no input.
    expect([...patterns].filter((pattern) => compile(pattern).exitCode !== 1)).toEqual([]);
    expect(compile('[^\\u0020]').exitCode).toBe(2);
  });
});

/** Runs a program that reads patterns and texts from `input.json`, and prints the verdicts as JSON. */
async function expectSame(
  cwd: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  await Bun.write(
    join(cwd, 'input.json'),
    JSON.stringify({ patterns: [...patterns], texts: TEXTS }),
  );
  expect(JSON.parse(await runTool(command, { cwd, environment }))).toEqual(verdicts());
}

const GO = `package main

import (
	"encoding/json"
	"os"
	"regexp"
)

func main() {
	var input struct{ Patterns, Texts []string }
	bytes, _ := os.ReadFile("input.json")
	if err := json.Unmarshal(bytes, &input); err != nil {
		panic(err)
	}
	verdicts := make([][]bool, len(input.Patterns))
	for index, pattern := range input.Patterns {
		compiled := regexp.MustCompile(pattern)
		for _, text := range input.Texts {
			verdicts[index] = append(verdicts[index], compiled.MatchString(text))
		}
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}
`;

const PYTHON = `import json, re

with open("input.json", encoding="utf-8") as file:
    given = json.load(file)
print(json.dumps([
    [re.search(pattern, text) is not None for text in given["texts"]]
    for pattern in given["patterns"]
]))
`;
