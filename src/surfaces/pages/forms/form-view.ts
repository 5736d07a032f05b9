import type { AnswerFor } from '../../../kernel/declare/catalog.ts';
import type { TreeNode } from '../../../kernel/door/answer.ts';
import { cellName } from '../../../lib/answers/answer-rows.ts';
import { plainText } from '../plain-text.ts';

type FormNode = AnswerFor<'importform/describe'>['root'];
type QuestionNode = ChildNamed<FormNode, 'Questions'>['children'][number];
type ColumnNode = ChildNamed<QuestionNode, 'Columns'>['children'][number];
type ChoiceNode = ChildNamed<QuestionNode, 'Choices'>['children'][number];

/** A question as a page shows it, from the answer of importform/describe. */
export interface QuestionView {
  readonly name: string;
  readonly type: string;
  readonly prompt: string;
  readonly help: string;
  readonly section: string;
  readonly value: string;
  /** The saved answer; another one than the value is a draft. */
  readonly saved: string;
  readonly problem: string;
  readonly isShown: boolean;
  readonly isRequired: boolean;
  readonly isReadOnly: boolean;
  readonly isCalculated: boolean;
  readonly minimum: string;
  readonly maximum: string;
  /** The question whose answer decides whether this one is shown; empty if none, or several. */
  readonly shownBy: string;
  /** The label of the answer with which it is shown; empty for other comparisons. */
  readonly shownFor: string;
  readonly choices: readonly ChoiceView[];
  /** The columns of a question with rows. */
  readonly columns: readonly ColumnView[];
  /** What is wrong with cells, by their names: `Bids[3].Amount`. */
  readonly cellProblems: ReadonlyMap<string, string>;
}

/** An offered answer. */
interface ChoiceView {
  readonly code: string;
  readonly label: string;
  readonly isChosen: boolean;
}

/** A column of a question with rows. */
export interface ColumnView extends Pick<
  QuestionView,
  'name' | 'type' | 'prompt' | 'help' | 'isRequired' | 'minimum' | 'maximum' | 'choices'
> {
  /** The sum of the amounts in its cells; empty for a column without amounts. */
  readonly total: string;
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
  /** When answers were entered that are not saved yet, and by whom. */
  readonly draftDate: string;
  readonly draftPersonId: number | undefined;
  readonly canChange: boolean;
  readonly isOnHold: boolean;
  readonly holds: readonly HoldView[];
  readonly questions: readonly QuestionView[];
  readonly moves: readonly MoveView[];
}

interface ParentNode {
  readonly children: readonly TreeNode[];
}

/** The nodes with a name among the children of a node. */
type ChildNamed<N extends ParentNode, K extends string> = Extract<N['children'][number], { readonly name: K }>;

/** The names of the children with values of a type. */
type NameOfValue<N extends ParentNode, V> = Extract<N['children'][number], { readonly value: V }>['name'];

function child<N extends ParentNode, K extends N['children'][number]['name']>(
  node: N,
  name: K,
): ChildNamed<N, K> | undefined {
  return node.children.find((each): each is ChildNamed<N, K> => each.name === name);
}

function text<N extends ParentNode>(node: N, name: NameOfValue<N, string>): string {
  return plainText(node.children.find((each) => each.name === name)?.value);
}

function flag<N extends ParentNode>(node: N, name: NameOfValue<N, boolean>): boolean {
  return node.children.find((each) => each.name === name)?.value === true;
}

/** Reads the answer of importform/describe or importform/evaluate. */
export function formView(root: FormNode): FormView {
  const { ImportFormID: id, Version: version } = root.attributes;
  return {
    id: id ?? undefined,
    name: root.attributes.Name,
    status: root.attributes.Status ?? '',
    draftDate: root.attributes.DraftDate ?? '',
    draftPersonId: root.attributes.DraftPersonID ?? undefined,
    version: version === null ? '' : String(version),
    object: root.attributes.Object ?? '',
    objectId: root.attributes.ObjectID ?? 0,
    instructions: text(root, 'Instructions'),
    hasStatuses: flag(root, 'HasStatuses'),
    isComplete: flag(root, 'IsComplete'),
    canChange: flag(root, 'CanChange'),
    isOnHold: flag(root, 'OnHold'),
    holds: (child(root, 'Holds')?.children ?? []).map(({ attributes: hold }) => ({
      id: hold.DecisionDelayID,
      name: hold.Name ?? '',
      since: hold.ActualStart ?? '',
      until: hold.ProjectedCompletion ?? '',
    })),
    questions: (child(root, 'Questions')?.children ?? []).map(questionView),
    moves: (child(root, 'Transitions')?.children ?? []).map((move) => ({
      name: move.attributes.Name,
      to: move.attributes.ToStatus,
      isFinal: flag(move, 'IsFinal'),
    })),
  };
}

function questionView(node: QuestionNode): QuestionView {
  return {
    name: node.attributes.Name,
    type: node.attributes.Type,
    prompt: text(node, 'Prompt'),
    help: text(node, 'Help'),
    section: text(node, 'Section'),
    value: text(node, 'Value'),
    saved: text(node, node.children.some(({ name }) => name === 'Saved') ? 'Saved' : 'Value'),
    problem: text(node, 'Problem'),
    isShown: flag(node, 'Shown'),
    isRequired: flag(node, 'Required'),
    isReadOnly: flag(node, 'ReadOnly'),
    isCalculated: flag(node, 'Calculated'),
    minimum: node.attributes.Minimum ?? '',
    maximum: node.attributes.Maximum ?? '',
    shownBy: node.attributes.ShownBy ?? '',
    shownFor: node.attributes.ShownFor ?? '',
    choices: (child(node, 'Choices')?.children ?? []).map(choiceView),
    columns: (child(node, 'Columns')?.children ?? []).map(columnView),
    cellProblems: new Map(
      (child(node, 'CellProblems')?.children ?? []).map(
        ({ attributes: { Row: row, Column: column, Text: problem } }) => [
          column === null ? `${node.attributes.Name}[${row}]` : cellName(node.attributes.Name, row, column),
          problem,
        ],
      ),
    ),
  };
}

function columnView(node: ColumnNode): ColumnView {
  return {
    name: node.attributes.Name,
    type: node.attributes.Type,
    prompt: text(node, 'Prompt'),
    help: text(node, 'Help'),
    isRequired: flag(node, 'Required'),
    minimum: node.attributes.Minimum ?? '',
    maximum: node.attributes.Maximum ?? '',
    choices: (child(node, 'Choices')?.children ?? []).map(choiceView),
    total: node.attributes.Total ?? '',
  };
}

function choiceView(choice: ChoiceNode): ChoiceView {
  return { code: choice.attributes.Code, label: choice.attributes.Label, isChosen: flag(choice, 'Chosen') };
}
