import { explainErrors } from '../../api/error-catalogue.ts';
import { SCHEMAS, schemaName } from '../../api/openapi/schemas.ts';
import type { PublishedOperation } from '../../api/operations.ts';
import { simulationNames } from '../../core/sandbox/simulations.ts';
import type { Stability } from '../../core/stability.ts';
import { lifecycleOf } from '../../http/lifecycle.ts';
import type { ServiceFacts } from '../reference/guides/guide.ts';
import { guidesOf } from '../reference/guides/guides.ts';
import {
  errorPath,
  guidePath,
  operationPath,
  REFERENCE_PATH,
  REFERENCE_TITLE,
} from '../reference/paths.ts';
import { slugOf } from '../reference/prose.ts';
import { PAGE_ENTRIES } from '../shared/dashboard-pages.ts';
import type { SearchEntry } from '../shared/search.ts';
import { isServedPage } from '../shared/unserved.ts';

/** Guides whose sections are indexed as entries of their own kind. */
const LISTS = { errors: 'Error code', headers: 'Header' } as const;

/** The longest excerpt, in characters. */
const EXCERPT_LENGTH = 160;

/** All entries of the search but those for operators: operations, guides by section, codes, headers, fields, pages. */
export function searchEntries(facts: ServiceFacts): SearchEntry[] {
  return [
    {
      path: REFERENCE_PATH,
      title: REFERENCE_TITLE,
      names: 'API reference docs',
      kind: 'Page',
      excerpt: 'Addresses, keys, every operation and guide, documents for programs.',
      text: 'overview documentation base URL authentication OpenAPI Arazzo YAML llms.txt',
    },
    ...PAGE_ENTRIES.filter(({ path }) => isServedPage(path, facts.contract.operationIds)),
    ...facts.contract.operations.flatMap(ofOperation),
    ...explainErrors(facts.contract.errorCodes).map(
      ({ code, status, meaning, cause, cure }): SearchEntry => ({
        path: errorPath(code),
        title: code,
        names: `${code} ${status}`,
        kind: 'Error code',
        excerpt: `${status}: ${meaning}`,
        text: plain(`${cause} ${cure} error HTTP status`),
      }),
    ),
    ...guidesOf(facts.contract).flatMap(({ name, title, description, body }) =>
      ofGuide(name, title, description, body(facts), facts.contract.stability),
    ),
  ];
}

function ofOperation(operation: PublishedOperation): SearchEntry[] {
  const { id, method, path, summary, description, parameters, body } = operation;
  const notes = lifecycleOf(operation).notes.map(({ badge, text }) => `${badge} ${text}`);
  const page = operationPath(id);
  const schema = body === undefined ? undefined : SCHEMAS[schemaName(body)];
  const place = `${method} ${path}`;
  return [
    {
      path: page,
      title: summary,
      names: id,
      kind: 'Operation',
      excerpt: `${place} · ${id}`,
      text: plain([id, description, ...notes].join(' ')),
    },
    ...parameters.map(
      ({ name, description }): SearchEntry => ({
        path: `${page}#parameter-${name}`,
        title: name,
        names: '',
        kind: 'Parameter',
        excerpt: `${place}: ${shortened(plain(description))}`,
        text: id,
      }),
    ),
    ...Object.entries(schema?.properties ?? {}).map(
      ([name, { description }]): SearchEntry => ({
        path: `${page}#body-${name}`,
        title: name,
        names: '',
        kind: 'Field',
        excerpt: `${place}: ${shortened(plain(description))}`,
        text: id,
      }),
    ),
  ];
}

/** A guide and its sections. */
function ofGuide(
  name: string,
  title: string,
  description: string,
  text: string,
  stability: Stability,
): SearchEntry[] {
  const [introduction = '', ...sections] = text
    // Only headings outside of code blocks begin sections.
    .replaceAll(/^```[\s\S]*?^```$/gm, (code) => code.replaceAll(/^#/gm, ' #'))
    .split(/^##+ /m);
  const kind = Object.entries(LISTS).find(([guide]) => guide === name)?.[1];
  const found = sections.flatMap((section): SearchEntry[] => {
    const [heading = '', ...lines] = section.split('\n');
    const content = plain(lines.join('\n'));
    const isListed = heading.startsWith('`') && kind !== undefined;
    // These have an entry with a better description, from the catalogue of errors.
    if (isListed && kind === 'Error code') return [];
    return [
      {
        path: `${guidePath(name)}#${slugOf(heading)}`,
        title: isListed ? plain(heading) : `${title}: ${plain(heading)}`,
        names: isListed ? plain(heading) : '',
        kind: isListed ? kind : 'Guide',
        excerpt: shortened(content),
        text: heading === 'Simulations' ? content + words(simulationNames(stability)) : content,
      },
    ];
  });
  return [
    {
      path: guidePath(name),
      title,
      names: title,
      kind: 'Guide',
      excerpt: description,
      text: plain(introduction),
    },
    ...found,
  ];
}

function words(names: readonly string[]): string {
  return ` ${names.join(' ')}`;
}

/** Markdown as plain text. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^)]*\)|[`*[\]]|^```\w*$|^(?:- |\d\. )/gm, '')
    .replaceAll(/[|{}<>"]|---+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function shortened(text: string): string {
  if (text.length <= EXCERPT_LENGTH) return text;
  const cut = text.slice(0, EXCERPT_LENGTH);
  return `${cut.slice(0, cut.lastIndexOf(' '))} …`;
}
