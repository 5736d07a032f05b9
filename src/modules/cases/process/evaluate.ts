import { recordId, item, type ItemAnswer } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { mergeParameters } from '../../../kernel/parameters/parameters.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { saveFromConfiguration } from '../../../kernel/records/save/save.ts';
import { concreteTypeOf } from '../../../kernel/records/save/concrete-type.ts';
import { evaluate } from './lib/evaluate.ts';

const fields = {
  Object: required(f.text({ doc: 'The record type of the instance.' })),
  ObjectID: required(
    f.id({ doc: 'The instance: a new one, or the existing one if the template may not be repeated further.' }),
  ),
  TemplateClass: required(f.text({ doc: 'The record type of the template.' })),
  TemplateID: required(f.id({ doc: 'The template.' })),
  Template: required(f.text({ doc: "The template's name." })),
  Matrix: required(f.text({ doc: 'The matrices that were evaluated, in order.' })),
};

export const operation = defineOperation({
  module: 'process',
  name: 'Evaluate',
  method: 'POST',
  summary:
    'Looks a matrix up for a case by its summary, reads a template from the measure, and creates an ' +
    'instance of it below the case. Where the measure names another matrix, that matrix is looked up in turn.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The case.' })),
    Matrix: required(f.text({ doc: 'The matrix, by name or ID.', max: 100 })),
    Measure: f.text({ doc: 'The output that names the template; by default the first.', max: 60 }),
    TemplateClass: f.text({
      doc:
        'The record type of the template, such as ImportFormTemplate, or of its instances. Needed only if ' +
        'templates of several types share the name.',
      max: 60,
    }),
    Class: f.text({ doc: 'The same as TemplateClass.', max: 60 }),
    ClassName: f.text({ doc: 'The same as TemplateClass.', max: 60 }),
  },
  // The remaining parameters are saved in the new record.
  free: 'any',
  returns: fields,
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER', 'RULE_EXCEPTION', 'CHAIN_TOO_DEEP', 'NO_PERMISSION'],
  source: '1-core §4, Matrices, rules and links',
});

export const run = handle(operation, async (ctx, { ID, Matrix, Measure, TemplateClass, Class, ClassName }, rest) => {
  const record = await concreteTypeOf(ctx, ctx.record, ID);
  const [templateClass, ...more] = new Set(
    [TemplateClass, Class, ClassName].flatMap((name) => (name ? [name.trim().toLowerCase()] : [])),
  );
  if (more.length > 0) throw bad('TemplateClass', 'one class; Class and ClassName mean the same');
  const { of, instance, template, chain } = await evaluate(
    ctx,
    { record, id: ID },
    { matrix: Matrix, measure: Measure ?? undefined, templateClass },
  );
  const identity = Object.keys(rest).find((name) =>
    [instance.idField, ...(instance.base ? [instance.root.idField] : [])].some(
      (id) => id.toLowerCase() === name.toLowerCase(),
    ),
  );
  if (identity !== undefined) throw bad(identity, 'no ID, because the call creates the record');
  const answer = await saveFromConfiguration(
    ctx,
    instance,
    mergeParameters(rest, { Object: record.name, ObjectID: ID, [of.idField]: template.id }),
  );
  const made = (answer as ItemAnswer).row;
  return item('Evaluation', fields, {
    Object: instance.name,
    ObjectID: recordId(instance, made),
    TemplateClass: of.name,
    TemplateID: template.id,
    Template: template.name,
    Matrix: chain.join(' > '),
  });
});
