/**
 * A moment (ISO 8601) in the reader's zone, as a `datetime-local` input has it; empty for no moment. Exactly what was
 * entered there, also of a year that is only half typed: another text would undo the typing.
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
