import { after, describe, it } from 'node:test';
import { ruleValidatorConformance, type ConformanceRules } from '../../../src/contracts/conformance/rule-validator.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { ThreadSandbox } from '../../../src/kernel/xml/sandbox/sandbox.ts';
import { XsltRuleValidator } from '../../../src/providers/rule-validator/xslt/xslt-rule-validator.ts';
import { sheet, writing } from '../../support/rules/rules.ts';

const sandbox = new ThreadSandbox(silentLog, { runMilliseconds: 2_000 });
after(() => sandbox.stop());

const rules: ConformanceRules = {
  passes: writing('<fine/>'),
  refuses: writing(
    '<Exceptions><Exception>First.</Exception><Exception>Second &amp; &lt;last&gt;.</Exception></Exceptions>',
  ),
  warns: writing('<Warning>Look.</Warning>'),
  repeatsStatus: sheet('<Exception><xsl:value-of select="/LoanBusinessRuleItem/LoanItem/Status"/></Exception>'),
  revealsNumber: writing('<Exception>Number 123-45-6789</Exception>'),
  fails: sheet('<xsl:value-of select="$nothing"/>'),
  loops: sheet(
    `<xsl:variable name="n" select="//* | //@*"/>${'<xsl:for-each select="$n">'.repeat(24)}` +
      `<xsl:if test="false()">x</xsl:if>${'</xsl:for-each>'.repeat(24)}`,
  ),
  broken:
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template/></xsl:stylesheet>',
};

describe('RUL-12 the contract of rule validators: XsltRuleValidator', () => {
  for (const { title, check } of ruleValidatorConformance)
    it(title, () => check(new XsltRuleValidator(sandbox), rules));
});
