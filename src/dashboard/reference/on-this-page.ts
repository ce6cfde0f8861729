import { type Html, html } from '../pages/html.ts';
import { unescaped } from '../shared/unescape.ts';

/** A part of a page with a heading, which is a link to it. */
export interface PageSection {
  readonly id: string;
  readonly title: string;
}

/** Links to the sections of a page; nothing if there are too few to lose sight of. */
export function onThisPage(sections: readonly PageSection[]): Html {
  if (sections.length < 3) return html``;
  return html`<nav class="on-this-page" aria-labelledby="on-this-page">
<p id="on-this-page">On this page</p>
<ul>
${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
</ul>
</nav>`;
}

/** The sections of a rendered text: its headings of the second level. */
export function sectionsIn({ text }: Html): readonly PageSection[] {
  const headings = text.matchAll(/<h2 id="([^"]+)"><a [^>]*>(.*?)<\/a><\/h2>/gs);
  return Array.from(headings, ([, id = '', content = '']) => ({
    id,
    title: unescaped(content.replaceAll(/<[^>]+>/g, '')),
  }));
}
