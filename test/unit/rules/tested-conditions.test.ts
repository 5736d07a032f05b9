import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testedConditions } from '../../../src/modules/rules/businessrule/lib/tested-conditions.ts';

const sheet = (body: string): string =>
  `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">${body}</xsl:stylesheet>`;

describe('the conditions of a stylesheet', () => {
  it('WEB-05 are found in order, each with its XPath in the context of its template and the values that it compares', () => {
    const [first, second] = testedConditions(
      sheet(`<xsl:template match="/LoanRule"><xsl:if test="Item/A &gt; 2 and Before/@B != 'C or D'">
<Exception> Too much. </Exception></xsl:if><xsl:for-each select="Item/Part"><xsl:choose>
<xsl:when test="not(Name)"/></xsl:choose></xsl:for-each></xsl:template>`),
    );
    assert.equal(first?.xpath, "boolean(/LoanRule[Item/A > 2 and Before/@B != 'C or D'])");
    assert.equal(first.says, 'Too much.');
    assert.deepEqual(first.values, [
      { name: 'Item/A', xpath: '/LoanRule/Item/A' },
      { name: 'Before/@B', xpath: '/LoanRule/Before/@B' },
    ]);
    assert.equal(second?.xpath, 'boolean(/LoanRule/Item/Part[not(Name)])');
    assert.deepEqual(second.values, [{ name: 'Name', xpath: '/LoanRule/Item/Part/Name' }]);
  });

  it('WEB-05 that use variables, keys or positions, or are in a named template, have no XPath of their own', () => {
    const tests = ['$x = 1', 'position() = 1', "key('a', B)", 'a:b = 1'];
    const found = testedConditions(
      sheet(
        `<xsl:template match="Item">${tests.map((test) => `<xsl:if test="${test}"/>`).join('')}</xsl:template>` +
          '<xsl:template name="n"><xsl:if test="A"/></xsl:template>' +
          '<xsl:template match="a|b"><xsl:if test="A"/></xsl:template>',
      ),
    );
    assert.deepEqual(
      found.map(({ xpath }) => xpath),
      [undefined, undefined, undefined, undefined, undefined, undefined],
    );
    assert.equal(
      testedConditions(sheet('<xsl:template match="Item"><xsl:if test="A = \'$5\'"/></xsl:template>'))[0]?.xpath,
      "boolean(//Item[A = '$5'])",
    );
    assert.deepEqual(testedConditions('no document'), []);
  });
});
