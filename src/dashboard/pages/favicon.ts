/** A paw: one pad, four toes. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="#1f4fd0"/>
  <g fill="#fff">
    <path d="M16 15c4 0 7.5 4 7.5 7.2 0 2.3-1.7 3.8-3.9 3.8-1.4 0-2.3-.7-3.6-.7s-2.2.7-3.6.7c-2.2 0-3.9-1.5-3.9-3.8C8.5 19 12 15 16 15z"/>
    <ellipse cx="12.3" cy="9" rx="2.3" ry="3.2"/>
    <ellipse cx="19.7" cy="9" rx="2.3" ry="3.2"/>
    <ellipse cx="7" cy="14.2" rx="2.1" ry="2.9" transform="rotate(-20 7 14.2)"/>
    <ellipse cx="25" cy="14.2" rx="2.1" ry="2.9" transform="rotate(20 25 14.2)"/>
  </g>
</svg>
`;
