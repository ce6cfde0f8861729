/**
 * The tables of an environment whose ids are never assigned twice, except after a reset of the environment, and the
 * names of their sequences in PostgreSQL, which begin with the name of the environment. A file keeps the highest id of
 * deleted rows in its table `highest_ids`.
 */
export const ID_SEQUENCES = { pets: 'pet_ids', orders: 'order_ids' } as const;

export type NumberedTable = keyof typeof ID_SEQUENCES;

// An object literal has exactly the keys of its type.
export const NUMBERED_TABLES = Object.keys(ID_SEQUENCES) as readonly NumberedTable[];
