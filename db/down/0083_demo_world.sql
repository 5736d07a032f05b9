-- down: whether the demo's cases were loaded
drop table demoworld;
