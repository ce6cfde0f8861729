/** Delay between the last keystroke in a filter and the request, in ms. */
export const TYPING_PAUSE = 200;
