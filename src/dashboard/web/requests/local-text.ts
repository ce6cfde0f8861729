/**
 * A time (ISO 8601) in the reader's zone, in the format of a `datetime-local` input; empty if there
 * is none. The text is exactly what was entered, even for a partly typed year: any other text would
 * undo the typing.
 */
export function localText(iso: string): string {
  const moment = new Date(iso);
  if (Number.isNaN(moment.getTime())) return '';
  const [year, month, day, hour, minute] = [
    String(moment.getFullYear()).padStart(4, '0'),
    ...[moment.getMonth() + 1, moment.getDate(), moment.getHours(), moment.getMinutes()].map(
      (part) => String(part).padStart(2, '0'),
    ),
  ];
  return `${year}-${month}-${day}T${hour}:${minute}`;
}
