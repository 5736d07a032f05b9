import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  layoutDiagram,
  BOX_HEIGHT,
  BOX_WIDTH,
  ROW_STEPS_MAX,
  type DiagramLayout,
} from '../../../src/surfaces/pages/case/diagram-layout.ts';
import {
  stateOf,
  stepViews,
  type OutlineStep,
  type StepRow,
  type StepView,
} from '../../../src/surfaces/pages/case/step-view.ts';
import { DIAGRAM_STEPS_MAX, workflowDiagram } from '../../../src/surfaces/pages/case/workflow-diagram.ts';

/** Returns a step's row with some columns; the others are empty. */
const stepRow = (fields: Partial<StepRow>): StepRow => ({
  DecisionStepID: 1,
  DecisionStep: null,
  DecisionStepType: null,
  Status: null,
  DecisionID: 1,
  DecisionStepTemplateID: null,
  Object: null,
  ObjectID: null,
  IsTrue: null,
  EstimatedStart: null,
  EstimatedCompletion: null,
  ProjectedStart: null,
  ProjectedCompletion: null,
  ActualStart: null,
  ActualCompletion: null,
  CanceledDate: null,
  ErrorDate: null,
  ErrorGUID: null,
  ErrorMessage: null,
  TeamID: null,
  Delayed: null,
  DelayCount: null,
  DelayDuration: null,
  EnforceDelay: null,
  QueueMessageID: null,
  InsertedSequence: null,
  CompletedSequence: null,
  CreatedDate: '2026-01-01T00:00:00Z',
  CreatedPersonID: null,
  UpdatedDate: null,
  UpdatedPersonID: null,
  Version: 1,
  ...fields,
});

const step = (name: string, ...needs: number[]): StepView => ({
  name,
  templateId: undefined,
  row: undefined,
  times: 0,
  dependencies: needs.map((at) => ({ step: at, isTrue: undefined })),
  isDecision: false,
  expected: undefined,
  outlook: 'comes',
});

/**
 * Steps that depend on any others, themselves and later ones included. No template should have these, but they are
 * drawn anyway.
 */
const anySteps = fc
  .integer({ min: 1, max: 40 })
  .chain((count) =>
    fc.array(fc.uniqueArray(fc.nat(count - 1), { maxLength: 4 }), { minLength: count, maxLength: count }),
  );

/** Requires that every box is within the diagram and that none overlap. */
function assertBoxesFit({ nodes, width, height }: DiagramLayout): void {
  for (const box of nodes)
    assert.ok(
      box.x >= 0 && box.y >= 0 && box.x + BOX_WIDTH <= width && box.y + BOX_HEIGHT <= height,
      'a box is within the diagram',
    );
  for (const [at, a] of nodes.entries())
    for (const b of nodes.slice(at + 1))
      assert.ok(
        a.y !== b.y ? Math.abs(a.y - b.y) >= BOX_HEIGHT : Math.abs(a.x - b.x) >= BOX_WIDTH,
        'boxes do not overlap',
      );
}

describe('the workflow diagram', () => {
  it('WEB-04 every step has its own box, edges lead downward from box to box, and every edge is drawn or counted', () => {
    fc.assert(
      fc.property(anySteps, (needs) => {
        const steps = needs.map((own, at) => step(`Step ${at}`, ...own));
        const layout = layoutDiagram(steps);
        const { nodes: placed, edges: lines, hiddenEdges: hidden } = layout;
        assert.deepEqual(
          placed.map(({ step: at }) => at).sort((a, b) => a - b),
          steps.map((_each, at) => at),
        );
        assertBoxesFit(layout);
        const boxes = new Map(placed.map((box) => [box.step, box]));
        for (const { from, to, points } of lines) {
          assert.ok(steps[to]?.dependencies.some(({ step: at }) => at === from));
          const [first, last] = [points[0], points.at(-1)];
          assert.deepEqual([first?.y, last?.y], [Number(boxes.get(from)?.y) + BOX_HEIGHT, boxes.get(to)?.y]);
          for (const [at, point] of points.entries()) if (at > 0) assert.ok(point.y > Number(points[at - 1]?.y));
        }
        assert.equal(lines.length + hidden, needs.flat().length);
        assert.deepEqual(layoutDiagram(steps), layoutDiagram(steps), 'the same steps give the same diagram');
      }),
    );
  });

  it('WEB-04 without cycles and long edges every dependency is drawn, and a step is below all the steps on which it depends', () => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 2, max: 9 })
          .chain((count) =>
            fc.tuple(
              ...Array.from({ length: count }, (_each, at) =>
                fc.uniqueArray(fc.nat(Math.max(0, at - 1)), { maxLength: at }),
              ),
            ),
          ),
        (needs) => {
          const {
            nodes: placed,
            edges: lines,
            hiddenEdges: hidden,
          } = layoutDiagram(needs.map((own, at) => step(`Step ${at}`, ...own)));
          assert.equal(hidden, 0);
          assert.equal(lines.length, needs.flat().length);
          const y = new Map(placed.map((box) => [box.step, box.y]));
          for (const [at, own] of needs.entries())
            for (const other of own) assert.ok(Number(y.get(at)) > Number(y.get(other)));
        },
      ),
    );
  });

  it('WEB-04 a workflow of the maximum size with many dependencies is drawn within bounds', () => {
    const wide = Array.from({ length: DIAGRAM_STEPS_MAX }, (_each, at) =>
      step(`Step ${at}`, ...(at === 0 ? [] : [...new Set([0, at - 1, Math.floor(at / 2)])])),
    );
    const { markup } = workflowDiagram(1, 'Wide', wide) as { markup: string };
    assert.ok(markup.length < 1_000_000, `${markup.length} characters`);
    assert.match(markup, /dependencies have no line here/);
    assert.equal(workflowDiagram(1, 'Larger', [...wide, step('One more', 0)]), false);
    assert.equal(workflowDiagram(1, 'Without any order', [step('A'), step('B')]), false);
  });

  it('WEB-04 three hundred parallel steps fold into rows of a few screens; edges that would cross boxes are counted, and the legend counts the states', () => {
    const fan = [
      step('Begin'),
      ...Array.from({ length: 298 }, (_each, at) => step(`Side ${at}`, 0)),
      step('End', ...Array.from({ length: 298 }, (_each, at) => at + 1)),
    ];
    const { nodes: placed, edges: lines, hiddenEdges: hidden, width, height } = layoutDiagram(fan);
    assert.ok(width <= ROW_STEPS_MAX * (BOX_WIDTH + 20) + 16, `${width} wide`);
    assert.ok(height < 3000, `${height} high`);
    assert.equal(new Set(placed.map(({ x, y }) => `${x} ${y}`)).size, 300);
    assert.deepEqual(
      [lines.filter(({ from }) => from === 0).length, lines.filter(({ to }) => to === 299).length],
      [ROW_STEPS_MAX, 298 % ROW_STEPS_MAX],
    );
    assert.equal(lines.length + hidden, 2 * 298);
    assert.ok(
      placed.every(({ step: at, y }) => at === 299 || y < Number(placed.find((box) => box.step === 299)?.y)),
      'steps that wait for them are below all of them',
    );
    const { markup } = workflowDiagram(1, 'Fan', [
      { ...step('Done'), row: stepRow({ Status: 'Complete' }) },
      ...fan.slice(1),
    ]) as { markup: string };
    assert.match(
      markup,
      new RegExp(
        'Steps by status"><li><span class="state done"><span aria-hidden="true">✓</span> Done</span> 1</li>' +
          '<li>.*Upcoming</span> 299</li>',
      ),
    );
  });

  it('WEB-04 names are truncated at whole characters and escaped', () => {
    const name = '😀'.repeat(40);
    const { markup } = workflowDiagram(1, 'Names', [step(name), step('</text><script>', 0)]) as { markup: string };
    assert.ok(markup.includes(`>${'😀'.repeat(24)}…<`));
    assert.ok(!markup.includes('<script') && !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/.test(markup));
  });

  it('WEB-04 a repeated step is shown as its last instance, a step removed from its template stays, and upcoming steps show their forecast', () => {
    const planned = (id: number, name: string, repeatability = 1): OutlineStep => ({
      name: 'Step',
      attributes: {
        DecisionStepTemplateID: id,
        DecisionStep: name,
        Kind: 'Manual',
        Object: null,
        Repeatability: repeatability,
      },
      children: [],
    });
    const rows = [
      stepRow({
        DecisionStepTemplateID: 1,
        DecisionStep: 'First',
        Status: 'Complete',
        IsTrue: false,
        ActualCompletion: '2026-01-01T00:00:00Z',
      }),
      stepRow({
        DecisionStepTemplateID: 1,
        DecisionStep: 'First',
        Status: 'Pending',
        Delayed: true,
        EstimatedStart: '2026-01-02T00:00:00Z',
        EstimatedCompletion: '2026-01-02T00:00:00Z',
      }),
      stepRow({ DecisionStepTemplateID: 9, DecisionStep: 'Lost', Status: 'Error' }),
    ];
    const projected = [
      {
        DecisionStepTemplateID: 2,
        IsProjected: true,
        DependsOn: null,
        ExpectedCompletion: '2026-02-01T00:00:00Z',
      },
      { DecisionStepTemplateID: 3, IsProjected: true, DependsOn: 'First = 1', ExpectedCompletion: null },
    ];
    const views = stepViews(
      [planned(1, 'First'), planned(2, 'Second'), planned(3, 'Third'), planned(4, 'Fourth'), planned(5, 'Fifth', 0)],
      rows,
      projected,
      'not',
    );
    assert.deepEqual(
      views.map((view) => [view.name, stateOf(view).word, view.times, view.expected]),
      [
        ['First', 'Waiting, on hold', 2, undefined],
        ['Second', 'Upcoming', 0, '2026-02-01T00:00:00Z'],
        ['Third', 'Possible', 0, undefined],
        ['Fourth', 'Not needed', 0, undefined],
        ['Fifth', 'Manual only', 0, undefined],
        ['Lost', 'Failed', 1, undefined],
      ],
    );
  });
});
