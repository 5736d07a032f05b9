/** @type {import('prettier').Config} */
export default {
  printWidth: 120,
  singleQuote: true,
  // Markup in template strings is white-space sensitive, and is laid out by hand.
  embeddedLanguageFormatting: 'off',
};
