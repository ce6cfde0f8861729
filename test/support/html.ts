/** An element of a page. */
export interface Element {
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
}

/** The elements of a page that match a selector, in order, with the text directly and indirectly in each. */
export async function elements(page: string, selector: string): Promise<Element[]> {
  const found: Array<{ attributes: Map<string, string>; text: string }> = [];
  const rewriter = new HTMLRewriter().on(selector, {
    element: ({ attributes }) => {
      found.push({ attributes: new Map(attributes), text: '' });
    },
    text: ({ text }) => {
      const last = found.at(-1);
      if (last) last.text += text;
    },
  });
  await rewriter.transform(new Response(page)).text();
  return found;
}
