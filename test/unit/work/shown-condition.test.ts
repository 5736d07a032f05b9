import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shownCondition } from '../../../src/modules/work/importform/lib/shown-condition.ts';
import type { Form, Question } from '../../../src/modules/work/importform/lib/form.ts';

const question = (name: string, more: Partial<Question> = {}): Question => ({
  id: 1,
  name,
  type: 'Text',
  prompt: null,
  help: null,
  section: null,
  isRequired: null,
  choices: [],
  rowsOf: null,
  columns: [],
  minimum: null,
  maximum: null,
  pattern: null,
  default: null,
  calculation: null,
  shownWhen: null,
  requiredWhen: null,
  place: { kind: 'answer' },
  ...more,
});
const outcome = question('Outcome', { type: 'Choice', choices: [{ code: 'defect', label: 'Defect found' }] });
const signed = question('Signed', { type: 'Boolean' });
const form: Form = {
  templateId: 1,
  name: 'Review',
  appliesTo: null,
  instructions: null,
  teamId: null,
  statuses: [],
  transitions: [],
  levels: [],
  questions: [outcome, signed],
};

describe('the condition of a question in words', () => {
  const cases: readonly (readonly [string, object | undefined])[] = [
    ["/Form/Answers/Outcome = 'defect'", { question: 'Outcome', answer: 'Defect found' }],
    ['/Form/Answers/Outcome = "other"', { question: 'Outcome', answer: 'other' }],
    ["/Form/Answers/Signed = 'true'", { question: 'Signed', answer: 'Yes' }],
    ["/Form/Answers/Signed = 'false'", { question: 'Signed', answer: 'No' }],
    ["/Form/Answers/Outcome != 'defect'", { question: 'Outcome', answer: undefined }],
    ["/Form/Answers/Outcome = 'a' and /Form/Answers/Signed = 'true'", undefined],
    ["/Form/Parent/Loan/Outcome = 'a'", undefined],
  ];
  for (const [shownWhen, expected] of cases)
    it(`WEB-02 is read from ${shownWhen}`, () => {
      assert.deepEqual(shownCondition(form, question('Q', { shownWhen })), expected);
    });
});
