-- down: which work items wait for the end of a hold; `next` gives them again
drop index if exists smartworklistmember_listed_idx, smartworklistmember_personid_idx, smartworklistmember_teamid_idx, smartworklistmember_held_idx,
  smartworklistmember_listed_unheld_idx, smartworklistmember_personid_unheld_idx, smartworklistmember_teamid_unheld_idx;
drop trigger smartworklistmember_hold on smartworklistmember;
drop trigger smartworklistmember_hold_open on smartworklistmember;
drop trigger importform_items on importform;
drop trigger decisionstep_items on decisionstep;
drop function casewright_smartworklistmember_hold();
drop function casewright_importform_items();
drop function casewright_decisionstep_items();
drop function casewright_hold_items(bigint[]);
-- The view shows the column; the older version creates it again when it starts.
drop view if exists report.smartworklistmember;
alter table smartworklistmember drop column helddate;
create index smartworklistmember_listed_idx on smartworklistmember (smartworklistid, teamid, priority, sequence, duedate, smartworklistmemberid)
  where completiondate is null and cancelleddate is null and skipdate is null and personid is null;
create index smartworklistmember_personid_idx on smartworklistmember (personid, teamid, priority, sequence, duedate, smartworklistmemberid)
  where completiondate is null and cancelleddate is null and skipdate is null and personid is not null;
create index smartworklistmember_teamid_idx on smartworklistmember (teamid, priority, sequence, duedate, smartworklistmemberid)
  where completiondate is null and cancelleddate is null and skipdate is null and personid is null;
