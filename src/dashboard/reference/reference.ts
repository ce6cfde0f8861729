import { document } from '../pages/markdown.ts';
import { describeOperation } from '../pages/reference-markdown.ts';
import type { PageParts } from '../pages/shell.ts';
import { framed, type PageLink, type ReferencePage } from './frame.ts';
import { guidePage } from './guide-page.ts';
import type { ServiceFacts } from './guides/guide.ts';
import { guidesOf } from './guides/guides.ts';
import { operationPage } from './operation-page.ts';
import { overviewPage } from './overview-page.ts';
import { guidePath, operationPath, REFERENCE_PATH, REFERENCE_TITLE } from './paths.ts';
import { linkedBelow } from './prose.ts';

interface PlannedPage extends PageLink {
  readonly write: () => ReferencePage;
}

/** The pages of the reference as HTML, by path. A page is written when its function is called. */
export function referencePages(parts: PageParts): Map<string, () => string> {
  const { contract } = parts;
  const pages: PlannedPage[] = [
    { path: REFERENCE_PATH, title: REFERENCE_TITLE, write: () => overviewPage(parts) },
    ...contract.operations.map((operation) => ({
      path: operationPath(operation.id),
      title: operation.summary,
      write: () => operationPage(operation, parts),
    })),
    ...guidesOf(contract).map((guide) => ({
      path: guidePath(guide.name),
      title: guide.title,
      write: () => guidePage(guide, parts),
    })),
  ];
  return new Map(
    pages.map(({ path, write }, index) => {
      const neighbours = { previous: pages[index - 1], next: pages[index + 1] };
      return [path, () => framed(parts, write(), neighbours).text];
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
