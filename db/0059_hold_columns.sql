-- Which event reported the expected end and the details of a hold, as a text that sorts by the order of events. Null for
-- holds from before, whose last event reported both.
alter table decisiondelaystate add column projectedkey text collate "C", add column detailskey text collate "C";
