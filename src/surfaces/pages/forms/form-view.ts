import type { TreeNode } from '../../../kernel/door/answer.ts';
import { plainText } from '../plain-text.ts';

/** A question as a page shows it, from the answer of importform/describe. */
export interface QuestionView {
  readonly name: string;
  readonly type: string;
  readonly prompt: string;
  readonly help: string;
  readonly section: string;
  readonly value: string;
  readonly problem: string;
  readonly isShown: boolean;
  readonly isRequired: boolean;
  readonly isReadOnly: boolean;
  readonly isCalculated: boolean;
  readonly minimum: string;
  readonly maximum: string;
  readonly choices: readonly { readonly code: string; readonly label: string; readonly isChosen: boolean }[];
}

/** A move to another status that the user may make. */
export interface MoveView {
  readonly name: string;
  readonly to: string;
  readonly isFinal: boolean;
}

/**
 * A hold on the workflow that waits for a task: until it ends, the task cannot be completed. Unknown dates are empty.
 */
export interface HoldView {
  readonly id: number;
  readonly name: string;
  readonly since: string;
  readonly until: string;
}

/** A task's form as a page shows it. */
export interface FormView {
  readonly id: number | undefined;
  readonly name: string;
  readonly status: string;
  readonly version: string;
  readonly object: string;
  readonly objectId: number;
  readonly instructions: string;
  readonly hasStatuses: boolean;
  readonly isComplete: boolean;
  readonly canChange: boolean;
  readonly isOnHold: boolean;
  readonly holds: readonly HoldView[];
  readonly questions: readonly QuestionView[];
  readonly moves: readonly MoveView[];
}

function attribute(node: TreeNode, name: string): string {
  return plainText(node.attributes?.[name]);
}

function child(node: TreeNode, name: string): TreeNode | undefined {
  return node.children?.find((each) => each.name === name);
}

function text(node: TreeNode, name: string): string {
  return plainText(child(node, name)?.value);
}

function flag(node: TreeNode, name: string): boolean {
  return child(node, name)?.value === true;
}

function below(node: TreeNode, name: string): readonly TreeNode[] {
  return child(node, name)?.children ?? [];
}

/** Reads the answer of importform/describe or importform/evaluate. */
export function formView(root: TreeNode): FormView {
  const id = Number(attribute(root, 'ImportFormID'));
  return {
    id: id > 0 ? id : undefined,
    name: attribute(root, 'Name'),
    status: attribute(root, 'Status'),
    version: attribute(root, 'Version'),
    object: attribute(root, 'Object'),
    objectId: Number(attribute(root, 'ObjectID')),
    instructions: text(root, 'Instructions'),
    hasStatuses: flag(root, 'HasStatuses'),
    isComplete: flag(root, 'IsComplete'),
    canChange: flag(root, 'CanChange'),
    isOnHold: flag(root, 'OnHold'),
    holds: below(root, 'Holds').map((hold) => ({
      id: Number(attribute(hold, 'DecisionDelayID')),
      name: attribute(hold, 'Name'),
      since: attribute(hold, 'ActualStart'),
      until: attribute(hold, 'ProjectedCompletion'),
    })),
    questions: below(root, 'Questions').map(questionView),
    moves: below(root, 'Transitions').map((move) => ({
      name: attribute(move, 'Name'),
      to: attribute(move, 'ToStatus'),
      isFinal: flag(move, 'IsFinal'),
    })),
  };
}

function questionView(node: TreeNode): QuestionView {
  return {
    name: attribute(node, 'Name'),
    type: attribute(node, 'Type'),
    prompt: text(node, 'Prompt'),
    help: text(node, 'Help'),
    section: text(node, 'Section'),
    value: text(node, 'Value'),
    problem: text(node, 'Problem'),
    isShown: flag(node, 'Shown'),
    isRequired: flag(node, 'Required'),
    isReadOnly: flag(node, 'ReadOnly'),
    isCalculated: flag(node, 'Calculated'),
    minimum: attribute(node, 'Minimum'),
    maximum: attribute(node, 'Maximum'),
    choices: below(node, 'Choices').map((choice) => ({
      code: attribute(choice, 'Code'),
      label: attribute(choice, 'Label'),
      isChosen: flag(choice, 'Chosen'),
    })),
  };
}
