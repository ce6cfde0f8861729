import { html } from '../pages/html.ts';
import type { PageParts } from '../pages/shell.ts';
import type { ReferencePage } from './frame.ts';
import type { Guide, ServiceFacts } from './guides/guide.ts';
import { onThisPage, sectionsIn } from './on-this-page.ts';
import { guidePath } from './paths.ts';
import { prose } from './prose.ts';

/** The page of a guide. */
export function guidePage(
  { name, title, description, body }: Guide,
  parts: ServiceFacts & Pick<PageParts, 'basePath'>,
): ReferencePage {
  const text = prose(body(parts), parts.basePath);
  return {
    path: guidePath(name),
    title,
    description,
    content: html`<h1>${title}</h1>
<p class="dimmed">${description}</p>
<div class="guide">
${onThisPage(sectionsIn(text))}
<div class="guide-text">
${text}
</div>
</div>`,
  };
}
