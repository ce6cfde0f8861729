/** The id of the element that shows a key, which links to it name. */
export function keyRowId(id: string): string {
  return `key-${id}`;
}
