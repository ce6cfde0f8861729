import { IconBrightness, IconMoon, IconSun } from '@tabler/icons-react';

const SCHEMES = [
  ['auto', 'System', IconBrightness],
  ['light', 'Light', IconSun],
  ['dark', 'Dark', IconMoon],
] as const;

type Scheme = (typeof SCHEMES)[number][0];

/** The current choice, and a function that changes it. */
export interface ChosenScheme {
  readonly chosen?: Scheme;
  choose?(scheme: Scheme): void;
}

/** The choice between light and dark: an icon, which the style sheet selects, under a field without a look. */
export function ColorScheme({ chosen, choose }: ChosenScheme) {
  return (
    <span className="icon-button color-scheme needs-script">
      {SCHEMES.map(([scheme, , Icon]) => (
        <Icon key={scheme} size={20} className={`scheme-${scheme}`} aria-hidden />
      ))}
      <select
        aria-label="Colors"
        {...(chosen === undefined ? {} : { value: chosen })}
        onChange={({ currentTarget: { value } }) =>
          choose?.(SCHEMES.find(([scheme]) => scheme === value)?.[0] ?? 'auto')
        }
      >
        {SCHEMES.map(([scheme, label]) => (
          <option key={scheme} value={scheme}>
            {label}
          </option>
        ))}
      </select>
    </span>
  );
}
