import { document } from '../pages/markdown.ts';
import { describeOperation } from '../pages/reference-markdown.ts';
import type { PageParts } from '../pages/shell.ts';
import { framed, type ReferencePage } from './frame.ts';
import { guidePage } from './guide-page.ts';
import type { ServiceFacts } from './guides/guide.ts';
import { guidesOf } from './guides/guides.ts';
import { operationPage } from './operation-page.ts';
import { overviewPage } from './overview-page.ts';
import { guidePath, operationPath } from './paths.ts';
import { linkedBelow } from './prose.ts';

/** The pages of the reference by path, as HTML. */
export function referencePages(parts: PageParts): Map<string, string> {
  const pages: ReferencePage[] = [
    overviewPage(parts),
    ...parts.contract.operations.map((operation) => operationPage(operation, parts)),
    ...guidesOf(parts.contract).map((guide) => guidePage(guide, parts)),
  ];
  return new Map(
    pages.map((page, index) => {
      const neighbours = { previous: pages[index - 1], next: pages[index + 1] };
      return [page.path, framed(parts, page, neighbours).text];
    }),
  );
}

/** The pages of operations and guides as Markdown, each at the path of the page with `.md` at the end. */
export function referenceTexts(facts: ServiceFacts): Map<string, () => string> {
  const { addresses, contract } = facts;
  const operations = contract.operations.map(
    (operation) =>
      [`${operationPath(operation.id)}.md`, () => describeOperation(operation, addresses)] as const,
  );
  const guides = guidesOf(contract).map(
    ({ name, title, description, body }) =>
      [
        `${guidePath(name)}.md`,
        () => linkedBelow(document(`# ${title}`, description, body(facts)), addresses.dashboard),
      ] as const,
  );
  return new Map([...operations, ...guides]);
}
