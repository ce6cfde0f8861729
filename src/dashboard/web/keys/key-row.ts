/** The id of the element that shows a key, used as an anchor. */
export function keyRowId(id: string): string {
  return `key-${id}`;
}
