/** Adds which key a key was rotated from, and which one a message was sent with. */
export const KEY_ORIGINS_STEP = {
  file: 'accounts',
  sqlite: [
    'ALTER TABLE api_keys ADD COLUMN predecessor_id TEXT',
    'ALTER TABLE messages ADD COLUMN key_id TEXT',
  ],
  postgres: [
    'ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS predecessor_id TEXT',
    'ALTER TABLE messages ADD COLUMN IF NOT EXISTS key_id TEXT',
  ],
} as const;
