-- down: claims of work items, and answers of tasks that are not saved yet
drop index if exists smartworklistmember_output_idx;
drop index if exists smartworklistmember_done_idx;
drop index if exists smartworklistmember_open_idx;
drop index if exists smartworklistmember_own_idx;
drop trigger if exists importform_draft on importform;
drop function if exists casewright_importform_draft();
drop function if exists casewright_task_draft(bigint);
drop table if exists importformdraft;
drop table if exists workclaim;
