/** The views in a user's sidebar are among the user's preferences. */
export const uses = ['preference'] as const;
