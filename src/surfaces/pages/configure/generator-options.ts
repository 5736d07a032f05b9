import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { wordsOf } from '../../../kernel/declare/labels.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { checkbox, selectField, textField } from '../design/field.ts';
import { plainText } from '../plain-text.ts';

/** A generator, as `attachmenttemplate/generators` describes it. */
export type GeneratorRow = AnswerRowFor<'attachmenttemplate/generators'>;

/** An option of a generator. */
export interface GeneratorOption {
  readonly name: string;
  readonly doc: string;
  /** `boolean`, `integer`, `choice` or another kind of field. */
  readonly kind: string;
  /** The values of a choice. */
  readonly values: readonly string[];
  /** What is used where no value is set; empty if there is nothing. */
  readonly standard: string;
}

/** The field of the form that names the generator whose options it shows. */
export const OPTIONS_OF = 'OptionsOf';

/** Returns the options of a generator in their order. */
export function optionsOf({ Options, OptionTypes, OptionDefaults }: GeneratorRow): readonly GeneratorOption[] {
  const types = new Map(linesOf(OptionTypes));
  const defaults = new URLSearchParams(OptionDefaults);
  return linesOf(Options).map(([name, doc]) => {
    const [kind = 'text', values = ''] = (types.get(name) ?? 'text').split(' of ', 2);
    return {
      name,
      doc,
      kind,
      values: values === '' ? [] : values.split(', '),
      standard: defaults.get(name) ?? '',
    };
  });
}

function linesOf(text: string): readonly (readonly [name: string, rest: string])[] {
  return text.split('\n').flatMap((line) => {
    const at = line.indexOf(': ');
    return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 2)] as const];
  });
}

/** Returns what a form has for an option; a box that was shown and is not ticked is `false`. */
export function sentOption({ name, kind }: GeneratorOption, form: Parameters): string {
  const value = plainText(form[`option-${name}`]);
  return value === '' && kind === 'boolean' && plainText(form[OPTIONS_OF]) !== '' ? 'false' : value;
}

/**
 * Returns the options that a form has as a query string, without those that are empty and boxes that are as they are by
 * default. Nothing if the form shows the options of another generator.
 */
export function optionText(generator: GeneratorRow | undefined, form: Parameters): string {
  const shown = plainText(form[OPTIONS_OF]);
  if (!generator || (shown !== '' && shown !== generator.Generator)) return '';
  const entered = new URLSearchParams();
  for (const option of optionsOf(generator)) {
    const value = sentOption(option, form);
    if (value !== '' && !(option.kind === 'boolean' && value === (option.standard || 'false')))
      entered.set(option.name, value);
  }
  return entered.toString();
}

/** Renders an option by its kind: a box to tick, a choice, a number or a text. */
export function optionField(
  { name, doc, kind, values, standard }: GeneratorOption,
  { value, error }: { readonly value: string; readonly error: string | undefined },
): Markup {
  const label = wordsOf(name);
  if (kind === 'boolean')
    return checkbox({
      label: html`${label} <span class="small muted">${doc}</span>`,
      name: `option-${name}`,
      isChecked: (value || standard) === 'true',
    });
  const parts = { label, name: `option-${name}`, value, isRequired: false, hint: doc, error };
  const none = standard === '' ? 'Nothing' : `${standard} (default)`;
  if (kind === 'choice')
    return selectField({
      ...parts,
      value: value === standard ? '' : value,
      empty: none,
      choices: values.filter((each) => each !== standard).map((each) => ({ value: each, text: each })),
    });
  return textField({
    ...parts,
    type: kind === 'integer' ? 'number' : 'text',
    ...(standard !== '' && { attributes: html`placeholder="${standard}"` }),
  });
}
