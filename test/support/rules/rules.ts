/** Returns a rule whose template matches the root element, which is the context of `body`. */
export function sheet(body: string): string {
  return (
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">' +
    '<xsl:output method="xml" omit-xml-declaration="yes"/>' +
    `<xsl:template match="/*">${body}</xsl:template></xsl:stylesheet>`
  );
}

/** Returns a rule that refuses if an XPath test, escaped for an attribute, is true. */
export function refusing(test: string, text: string): string {
  return sheet(`<xsl:if test="${test}"><Exception>${text}</Exception></xsl:if>`);
}

/** A rule that always writes the same output. */
export function writing(output: string): string {
  return sheet(output);
}
