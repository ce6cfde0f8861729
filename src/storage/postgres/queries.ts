import type { SQL } from 'bun';
import type { Selection } from '../schema/selection.ts';

/** A value for a parameter; `texts` and `integers` create the arrays. */
export type Value = string | number | bigint | Buffer | null | List;
type List = ReturnType<SQL['array']>;

/** Rows, and how many were returned or changed. */
export type Rows<Row> = Row[] & { readonly count: number };

/** Sends a statement. */
export type Execute = <Row>(text: string, values: Value[]) => Promise<Rows<Row>>;

/** Statements on the pool or within a transaction. Each may raise `StorageUnavailable`. */
export class Queries {
  readonly #send: Execute;

  constructor(send: Execute) {
    this.#send = send;
  }

  execute<Row>(text: string, values: Value[]): Promise<Rows<Row>> {
    return this.#send<Row>(text, values.map(storable));
  }

  all<Row>(text: string, ...values: Value[]): Promise<Row[]> {
    return this.execute<Row>(text, values);
  }

  async get<Row>(text: string, ...values: Value[]): Promise<Row | undefined> {
    return (await this.execute<Row>(text, values))[0];
  }

  rows<Row>({ postgres }: Selection<Row>, ...values: Value[]): Promise<Row[]> {
    return this.execute<Row>(postgres, values);
  }

  /** Returns how many rows were inserted, changed or deleted. */
  async run(text: string, ...values: Value[]): Promise<number> {
    return (await this.execute(text, values)).count;
  }
}

/** Values for a parameter that is an array, such as `$1::text[]`. */
export function texts(values: readonly string[]): List {
  return Bun.sql.array(values.map(storable), 'TEXT');
}

/** Values for a parameter of type `bigint[]`. */
export function integers(values: ReadonlyArray<number | bigint>): List {
  return Bun.sql.array([...values], 'BIGINT');
}

/** PostgreSQL's text type does not support U+0000: it is stored and searched for as U+FFFD. */
function storable<T>(value: T): T | string {
  return typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value;
}
