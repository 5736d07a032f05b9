import type { RuleVerdict } from '../../../../contracts/rule-validator.ts';
import type { TreeNode } from '../../../../kernel/door/answer.ts';
import type { TrialResult, TriedCondition } from './try-rule.ts';

/** An answer of a trial, for the reference. */
export const trialExample: TreeNode = {
  name: 'BusinessRuleTry',
  children: [
    { name: 'Outcome', value: 'Refused' },
    { name: 'Exceptions', list: true, children: [{ name: 'Exception', value: 'The balance is below zero.' }] },
    { name: 'Warnings', list: true, children: [] },
    { name: 'Milliseconds', value: 0.4 },
    {
      name: 'Conditions',
      list: true,
      children: [
        {
          name: 'Condition',
          children: [
            { name: 'Test', value: 'LoanItem/UPBAmount < 0' },
            { name: 'Line', value: 3 },
            { name: 'Says', value: 'The balance is below zero.' },
            { name: 'Holds', value: true },
            {
              name: 'Values',
              list: true,
              children: [
                {
                  name: 'Value',
                  children: [
                    { name: 'Name', value: 'LoanItem/UPBAmount' },
                    { name: 'Value', value: '-1' },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
    { name: 'Output', value: '<Exception>The balance is below zero.</Exception>' },
    {
      name: 'Input',
      value:
        '<LoanBusinessRuleItem ' +
        'Operation="Insert"><LoanItem><UPBAmount>-1</UPBAmount></LoanItem></LoanBusinessRuleItem>',
    },
  ],
};

/** Returns a trial as its operation returns it. */
export function trialTree({ verdict, xml, milliseconds, conditions }: TrialResult): TreeNode {
  const texts = (name: string, of: readonly string[]): TreeNode => ({
    name: `${name}s`,
    list: true,
    children: of.map((value) => ({ name, value })),
  });
  return {
    name: 'BusinessRuleTry',
    children: [
      { name: 'Outcome', value: outcomeOf(verdict) },
      ...(verdict.failure === undefined ? [] : [{ name: 'Failure', value: verdict.failure }]),
      texts('Exception', verdict.exceptions),
      texts('Warning', verdict.warnings),
      { name: 'Milliseconds', value: milliseconds },
      { name: 'Conditions', list: true, children: conditions.map(conditionNode) },
      { name: 'Output', value: verdict.output },
      { name: 'Input', value: xml },
    ],
  };
}

function conditionNode({ test, says, line, holds, values }: TriedCondition): TreeNode {
  return {
    name: 'Condition',
    children: [
      { name: 'Test', value: test },
      { name: 'Line', value: line },
      { name: 'Says', value: says },
      { name: 'Holds', value: holds },
      {
        name: 'Values',
        list: true,
        children: values.map(({ name, value }) => ({
          name: 'Value',
          children: [
            { name: 'Name', value: name },
            { name: 'Value', value },
          ],
        })),
      },
    ],
  };
}

function outcomeOf({ failure, exceptions }: RuleVerdict): 'Failed' | 'Refused' | 'Passed' {
  if (failure !== undefined) return 'Failed';
  return exceptions.length > 0 ? 'Refused' : 'Passed';
}
