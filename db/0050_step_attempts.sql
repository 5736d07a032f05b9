-- Starts of steps whose operation runs outside the pass. The transaction of the operation stores its outcome, so that the effect
-- and the knowledge of it commit together; the pass that records the outcome in the step deletes the row.
create table decisionstepattempt (
  decisionstepid bigint primary key references decisionstep on delete cascade,
  token uuid not null,
  outcome jsonb
);
