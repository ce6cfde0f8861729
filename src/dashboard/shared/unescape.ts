const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
  ['#x27', "'"],
  ['amp', '&'],
]);

/** The text that escaped markup without elements stands for. */
export function unescaped(markup: string): string {
  return markup.replaceAll(
    /&(lt|gt|quot|#39|#x27|amp);/g,
    (found, name: string) => CHARACTERS.get(name) ?? found,
  );
}
