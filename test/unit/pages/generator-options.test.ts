import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { optionField, optionsOf, optionText } from '../../../src/surfaces/pages/configure/generator-options.ts';

const generator = {
  Generator: 'PdfGenerator',
  Description: 'A PDF file.',
  Templates: 'text/html',
  NeedsTemplate: false,
  Options:
    'PageSize: The size: of the paper.\nLandscape: Wider.\nPageNumbers: Numbers.\nMargin: In mm.\nFooter: A line.',
  OptionTypes:
    'PageSize: choice of Letter, A4\nLandscape: boolean\nPageNumbers: boolean\nMargin: integer\nFooter: text',
  OptionDefaults: 'PageSize=Letter&Landscape=false&PageNumbers=true&Margin=20',
};
const shown = { OptionsOf: 'PdfGenerator' };

describe('the options of a generator', () => {
  it('DOC-14 WEB-05 are fields of their kinds, with what holds by default', () => {
    const fields = optionsOf(generator).map((option) => optionField(option, { value: '', error: undefined }).markup);
    const [size = '', landscape = '', numbers = '', margin = '', footer = ''] = fields;
    assert.match(size, /<select.*<option value="">Letter \(default\)<\/option><option value="A4">A4<\/option>/s);
    assert.match(size, /The size: of the paper\./);
    assert.match(landscape, /type="checkbox" name="option-Landscape" value="true">/);
    assert.match(numbers, /type="checkbox" name="option-PageNumbers" value="true" checked>/);
    assert.match(margin, /type="number".*placeholder="20"/s);
    assert.match(footer, /type="text".*name="option-Footer"/s);
    const [option] = optionsOf(generator);
    assert.ok(option);
    assert.match(optionField(option, { value: 'A4', error: 'no' }).markup, /value="A4" selected/);
  });

  it('DOC-14 are saved where they differ from the default, a box also where it is not ticked', () => {
    assert.equal(optionText(generator, { ...shown, 'option-PageNumbers': 'true', 'option-PageSize': '' }), '');
    assert.equal(optionText(generator, shown), 'PageNumbers=false');
    assert.equal(
      optionText(generator, { ...shown, 'option-PageSize': 'A4', 'option-Landscape': 'true', 'option-Margin': '5' }),
      'PageSize=A4&Landscape=true&PageNumbers=false&Margin=5',
    );
  });

  it('DOC-14 of another generator are not taken over when the generator changes', () => {
    assert.equal(optionText(generator, { OptionsOf: 'ZipGenerator', 'option-PageSize': 'A4' }), '');
    assert.equal(optionText(undefined, { 'option-PageSize': 'A4' }), '');
    assert.equal(optionText(generator, { 'option-PageSize': 'A4' }), 'PageSize=A4', 'a form without the field');
  });
});
